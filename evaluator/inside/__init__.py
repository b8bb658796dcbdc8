"""What runs inside the sandbox, beside the candidate. Imports only itself, numpy, torch and triton."""
