"""Sentences that visitors read: they name no folder of this machine."""

from pathlib import Path

MISTAKE = (
    "A file of the course has a mistake, and nothing was changed. Tell the staff, and try again "
    "later."
)
"""What others than the staff read of it."""


def without_folders(sentence: str, *folders: Path | None) -> str:
    """A sentence that names files from these folders on, and each folder by its name."""
    for folder in filter(None, folders):
        sentence = sentence.replace(f"{folder}/", "").replace(str(folder), folder.name)
    return sentence
