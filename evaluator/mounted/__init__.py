"""Other people's tasks: a checkout of AgentKernelArena (v1 layout), whose own scripts compile, check and time.

Its scripts run as they are, in our sandbox; we believe exit codes and the numbers of the report, as far as they can be
true. The walk: checkout.py lists and reads tasks, obstacles.py says which cannot run here, helpers.py puts the
checkout's timing helpers in their place; evaluation.py is the list of gates, side.py runs commands and guards files,
reports.py and dialects.py read what they wrote, comparison.py makes cases of both sides' times, held_out.py is what
shapes that the agent did not see say of both sides.
"""
