"""What visitors read in place of a sentence for the staff."""

MISTAKE = (
    "A file of the course has a mistake, and nothing was changed. Tell the staff, and try again "
    "later."
)
"""The text for others than the staff."""
CLOSED = "The server may not use a file of the course. Tell the staff, and try again later."
"""The text where a right is missing on the server, which its owner can give."""
