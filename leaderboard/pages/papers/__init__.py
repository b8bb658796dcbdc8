"""What the pages of both papers share: their printed tables, agreeing digits, and disagreements."""
