"""What our stand-ins for a GPU lack: not_judged/unsupported_feature, our limit and not the candidate's fault."""

from __future__ import annotations


class UnsupportedFeature(Exception):
    """The code asks for something that only a real device or its driver can do; the text names it."""
