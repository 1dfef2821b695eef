"""What visitors read in place of a sentence for the staff."""

from arena.errors import ArenaError, SubmissionError
from arena.files.rights import missing
from arena.web.log import to_log

MISTAKE = (
    "A file of the course has a mistake, and nothing was changed. Tell the staff, and try again "
    "later."
)
"""The text for others than the staff."""
CLOSED = "The server may not use a file of the course. Tell the staff, and try again later."
"""The text where a right is missing on the server, which its owner can give."""


def closed(error: ArenaError) -> str | None:
    """CLOSED for an error about a missing right, whose advice is then in the log, for the staff;
    None for another error.
    """
    if isinstance(error, SubmissionError) and missing(error):
        to_log(str(error))
        return CLOSED
    return None
