"""Agent behaviour: outcomes, sessions and labels of candidates."""
