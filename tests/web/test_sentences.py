"""What visitors read names no folder of the server, whatever its name and wherever it stands."""

import html
import json
from pathlib import Path

import pytest
from markupsafe import escape
from pydantic_core import to_json

from arena.web.sentences import without_folders


@pytest.mark.parametrize("name", ["fox", "O'Brien", "R&D", 'the "best"', "Müller"])
def test_no_folder_is_named_in_a_sentence_a_page_or_json(name: str) -> None:
    folder = Path("/srv/course", name)
    said, left = f"{folder}/bot.py is in {folder}", f"bot.py is in {name}"
    assert without_folders(said, folder) == left
    assert html.unescape(without_folders(str(escape(said)), folder)) == left
    assert json.loads(without_folders(to_json(said).decode(), folder)) == left
