"""Bots are accepted into a folder of submissions without a check."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from arena.bots import course
from arena.bots.package import Bot
from arena.bots.versions import CheckedItem, Receipt


def accept(bot: Bot, checked: Sequence[CheckedItem], folder: Path) -> Receipt:
    """Accept a bot that is built, now and for nobody."""
    return course.submit(folder, bot, checked, None, datetime.now(UTC)).version
