"""Pages and API for logged-in users: submit bundles, follow submissions, manage tokens, and review.

Forms and views only: services do all writes, and uploads are not read here.
"""

from __future__ import annotations
