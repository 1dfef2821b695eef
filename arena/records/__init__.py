"""Game records in the forms other programs read: one file a form."""

from arena.records import dots_record, transcript
from arena.records.base import RecordForm

FORMS: dict[str, RecordForm] = {
    "transcript": transcript.Transcript(),
    "record": dots_record.ChampionshipRecord(),
}
"""The forms by the names that `arena replay --as` takes."""
