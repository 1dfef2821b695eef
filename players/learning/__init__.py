"""Where the numbers of the evaluations come from: self-play, and fits to what it shows."""

PICTURE_FORMATS = ("png", "svg")


def picture_files(name: str) -> tuple[str, ...]:
    """The files of a picture, in each of the formats."""
    return tuple(f"{name}.{form}" for form in PICTURE_FORMATS)
