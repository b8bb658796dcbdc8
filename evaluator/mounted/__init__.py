"""Mounted tasks: those of an AgentKernelArena checkout (v1 layout), whose own scripts compile, check and time.

The scripts run unchanged in our sandbox; exit codes and plausible numbers of their reports are trusted. checkout.py
lists and reads tasks, obstacles.py says which cannot run here, and helpers.py adds the checkout's timing helpers.
evaluation.py and session.py run the gates, side.py runs commands and guards files, reports.py and report_formats.py
read reports, comparison.py turns the times of both sides into cases, held_out.py is the record of held-out shapes.
"""
