"""Accounts: who somebody is, which role they have, what it may do, and how both are proved.

It knows nothing of runs: the pages that need a right ask `rights`, the doors that somebody may knock at too often ask
`guesses`.
"""

from __future__ import annotations
