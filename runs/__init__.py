"""The rows of the site (tasks, agents, hosts, runs, results, submissions) and all that writes them.

`runs.services` is the only writer.
"""
