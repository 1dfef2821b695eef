"""Game records in the forms of other programs: one file a form, and one line here."""

from pathlib import Path

from arena.errors import UserError
from arena.files.named import by_name
from arena.records.championship import CHAMPIONSHIP
from arena.records.dots_text import DOTS_TEXT
from arena.records.form import Form
from arena.records.ggf import GGF
from arena.records.json_lines import JSON_LINES
from arena.records.obf import OBF
from arena.records.parquet import PARQUET
from arena.records.pgn import PGN
from arena.records.transcript import TRANSCRIPT
from arena.records.wthor import WTHOR

FORMS: dict[str, Form] = by_name(
    (TRANSCRIPT, CHAMPIONSHIP, DOTS_TEXT, GGF, WTHOR, OBF, PGN, JSON_LINES, PARQUET)
)
"""Every form by the name that `--as` takes."""
TEXTS = {name: form.one for name, form in FORMS.items() if form.one}
"""Writes one game of an event as text, by the form's name. Raises RecordError."""


def form_of(path: Path, name: str | None = None) -> Form:
    """The form of that name, or that a file's name ends with. Raises UserError."""
    known = ", ".join(f"{form.name} ({form.endings[0]})" for form in FORMS.values())
    if name is not None:
        if name not in FORMS:
            raise UserError(f'--as: there is no form "{name}"; there are {known}')
        return FORMS[name]
    for form in FORMS.values():
        if path.name.lower().endswith(form.endings):
            return form
    raise UserError(f"{path}: the end of its name says no form; give one with --as: {known}")
