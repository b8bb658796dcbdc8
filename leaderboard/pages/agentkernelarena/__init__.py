"""The page of AgentKernelArena: how much of it is here, and what differs."""
