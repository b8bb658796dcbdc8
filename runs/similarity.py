"""Finds look-alikes: names that read the same at a glance, and sources that differ only in whitespace and comments."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Mapping

# Letters of other scripts, and digits, that look like Latin letters. NFKD folds wide and mathematical ones. Capitals
# are mapped first: a capital Greek eta looks like an H, a small one like an n.
_CAPITALS = str.maketrans(
    "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹАВЕЅІЈКМНОРСТУХԌԚԜᎪᏴᏟᎠᎬᏀᎻᎫᏦᏞᎷᏢᎡᏚᎢᏙᏔᏃⲞⲢⲤϲ",
    "ABEZHIKMNOPTYXCABESIJKMHOPCTYXGQWABCDEGHJKLMPRSTVWZOPCc",
)
_TWINS = str.maketrans(
    "асеорхуіјѕһԁԛԝвкмнтгпѵԍαβεηικνορτυχγμσⲟⲣⲥ" + "ɑɡɩɪıɴʀʏʙɢʜʟᴀᴄᴅᴇᴊᴋᴍᴏᴘᴛᴜᴠᴡᴢꜰꜱøłđħŧƅ" + "01|!$3@45",
    "aceopxyijshdqwbkmhtrnvgabenikvoptuxyuoopc" + "agiiinrybghlacdejkmoptuvwzfsoldhtb" + "oiiiseaas",
)


# Comments, and quoted texts that may look like comments. A missing end counts as the end of the file; searching for it
# from every character would take quadratic time.
_QUOTED = rb"""\"(?:\\.|[^\"\\\n])*+\"?|'(?:\\.|[^'\\\n])*+'?"""
_OF_C = re.compile(rb"(?P<comment>//[^\n]*|/\*.*?(?:\*/|\Z))|" + _QUOTED, re.DOTALL)
_OF_PYTHON = re.compile(rb"(?P<comment>\#[^\n]*)|\"{3}.*?(?:\"{3}|\Z)|'{3}.*?(?:'{3}|\Z)|" + _QUOTED, re.DOTALL)


def skeleton(name: str) -> str:
    """Return the same text for all names that look alike at a glance."""
    folded = unicodedata.normalize("NFKD", name.translate(_CAPITALS)).translate(_CAPITALS).casefold().translate(_TWINS)
    letters = "".join(one for one in folded if one.isalnum())
    return letters.replace("l", "i").replace("rn", "m").replace("vv", "w")


def source_fingerprint(files: Mapping[str, bytes]) -> str:
    """Return the same digest for sources that differ only in whitespace, comments and file names."""
    parts = sorted(hashlib.sha256(_code(name, data)).hexdigest() for name, data in files.items())
    return hashlib.sha256("".join(parts).encode()).hexdigest()


def _code(name: str, data: bytes) -> bytes:
    form = _OF_PYTHON if name.endswith(".py") else _OF_C
    return re.sub(rb"\s+", b"", form.sub(lambda found: b"" if found["comment"] is not None else found[0], data))
