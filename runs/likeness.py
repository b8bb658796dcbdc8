"""What looks like something else: names that the eye confuses, and sources that differ in blanks only."""

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


def skeleton(name: str) -> str:
    """The same text for all names that look alike at a glance."""
    folded = unicodedata.normalize("NFKD", name.translate(_CAPITALS)).translate(_CAPITALS).casefold().translate(_TWINS)
    letters = "".join(one for one in folded if one.isalnum())
    return letters.replace("l", "i").replace("rn", "m").replace("vv", "w")


def squeezed(files: Mapping[str, bytes]) -> str:
    """One digest for sources that differ in blanks, line ends and file names only."""
    parts = sorted(hashlib.sha256(re.sub(rb"\s+", b"", data)).hexdigest() for data in files.values())
    return hashlib.sha256("".join(parts).encode()).hexdigest()
