"""The code that runs inside the sandbox with the candidate. It imports only itself, numpy, torch and triton."""
