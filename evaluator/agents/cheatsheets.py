"""Reference sheets about a device and a language, which a configuration adds to the prompt.

Their files are cheatsheets/<architecture>.md and cheatsheets/<language>.md; <language>.<architecture>.md takes
precedence over the general one. A new device or language is a new file.
"""

from __future__ import annotations

from pathlib import Path

from evaluator.tasks.spec import CATEGORIES

FOLDER = Path(__file__).parent / "cheatsheets"


def cheatsheets_for(category: str, architecture: str) -> tuple[str, ...]:
    """The texts of the device's sheet and then the language's; a sheet that does not exist is left out."""
    language = CATEGORIES[category].language
    special, general = FOLDER / f"{language}.{architecture}.md", FOLDER / f"{language}.md"
    paths = (FOLDER / f"{architecture}.md", special if special.is_file() else general)
    return tuple(path.read_text(encoding="utf-8") for path in paths if path.is_file())
