"""How agents work: outcomes of sessions and labels of their candidates."""
