"""AgentKernelArena's run folders, reports and held-out results."""
