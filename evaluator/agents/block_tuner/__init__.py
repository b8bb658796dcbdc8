"""An agent that searches without a model: see launcher.py."""
