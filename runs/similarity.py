"""What looks like something else: names that the eye confuses, sources that differ in blanks and comments only."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Mapping

# Letters of other scripts, and figures, that look like Latin ones. NFKD has already folded wide and mathematical ones.
# Capitals come first: a Greek eta looks like an H as a capital, and like an n otherwise.
_CAPITALS = str.maketrans(
    "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹАВЕЅІЈКМНОРСТУХԌԚԜᎪᏴᏟᎠᎬᏀᎻᎫᏦᏞᎷᏢᎡᏚᎢᏙᏔᏃⲞⲢⲤϲ",
    "ABEZHIKMNOPTYXCABESIJKMHOPCTYXGQWABCDEGHJKLMPRSTVWZOPCc",
)
_TWINS = str.maketrans(
    "асеорхуіјѕһԁԛԝвкмнтгпѵԍαβεηικνορτυχγμσⲟⲣⲥ" + "ɑɡɩɪıɴʀʏʙɢʜʟᴀᴄᴅᴇᴊᴋᴍᴏᴘᴛᴜᴠᴡᴢꜰꜱøłđħŧƅ" + "01|!$3@45",
    "aceopxyijshdqwbkmhtrnvgabenikvoptuxyuoopc" + "agiiinrybghlacdejkmoptuvwzfsoldhtb" + "oiiiseaas",
)


# Comments, and the texts in quotes that may look like some. An end that is missing is the end of the file: what is
# looked for from each letter and found nowhere takes quadratic time.
_QUOTED = rb"""\"(?:\\.|[^\"\\\n])*+\"?|'(?:\\.|[^'\\\n])*+'?"""
_OF_C = re.compile(rb"(?P<comment>//[^\n]*|/\*.*?(?:\*/|\Z))|" + _QUOTED, re.DOTALL)
_OF_PYTHON = re.compile(rb"(?P<comment>\#[^\n]*)|\"{3}.*?(?:\"{3}|\Z)|'{3}.*?(?:'{3}|\Z)|" + _QUOTED, re.DOTALL)


def skeleton(name: str) -> str:
    """The same text for all names that look alike at a glance."""
    folded = unicodedata.normalize("NFKD", name.translate(_CAPITALS)).translate(_CAPITALS).casefold().translate(_TWINS)
    letters = "".join(one for one in folded if one.isalnum())
    return letters.replace("l", "i").replace("rn", "m").replace("vv", "w")


def squeezed(files: Mapping[str, bytes]) -> str:
    """One digest for sources that differ in blanks, line ends, comments and file names only."""
    parts = sorted(hashlib.sha256(_code(name, data)).hexdigest() for name, data in files.items())
    return hashlib.sha256("".join(parts).encode()).hexdigest()


def _code(name: str, data: bytes) -> bytes:
    form = _OF_PYTHON if name.endswith(".py") else _OF_C
    return re.sub(rb"\s+", b"", form.sub(lambda found: b"" if found["comment"] is not None else found[0], data))
