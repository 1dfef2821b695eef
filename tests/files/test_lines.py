"""Where a key stands in a TOML file."""

import tomllib

from arena.files.toml import KeyLines

TEXT = '''\
top = 1  # a = comment
"odd.key" = [  # over
  "]", # lines = 3
  { a = 1 },
]
text = """
no = "key" [here]
"""
[table]   # header
a.b = 'x'
[[player]]
bot = "x"
[player.options]
c = 1
[[player]]
options = { c = 2 }
  [player.resources]
threads = 1
'''


def test_lines_of_keys() -> None:
    tomllib.loads(TEXT)
    lines = KeyLines(TEXT)
    expected = {
        ("top",): 1,
        ("odd.key",): 2,
        ("text",): 6,
        ("table",): 9,
        ("table", "a", "b"): 10,
        ("player", 0): 11,
        ("player", 0, "bot"): 12,
        ("player", 0, "options"): 13,
        ("player", 0, "options", "c"): 14,
        ("player", 1): 15,
        ("player", 1, "options", "c"): 16,
        ("player", 1, "resources", "threads"): 18,
        ("player", 1, "missing", "deeper"): 15,
        ("nowhere",): None,
        ("no",): None,
    }
    assert {path: lines.line_of(path) for path in expected} == expected
