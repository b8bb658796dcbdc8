"""What an agent may be told of device and language, where its configuration says so.

cheatsheets/<architecture>.md and cheatsheets/<language>.md; <language>.<architecture>.md goes before the general one. A
new device or language is a new file.
"""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parent / "cheatsheets"
LANGUAGES = {"hip2hip": "hip", "torch2hip": "hip", "triton2triton": "triton"}


def cheatsheets_for(category: str, architecture: str) -> tuple[str, ...]:
    """The device's sheet, then the language's, as they are; what does not exist is left out."""
    language = LANGUAGES[category]
    special, general = FOLDER / f"{language}.{architecture}.md", FOLDER / f"{language}.md"
    paths = (FOLDER / f"{architecture}.md", special if special.is_file() else general)
    return tuple(path.read_text(encoding="utf-8") for path in paths if path.is_file())
