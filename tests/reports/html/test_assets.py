"""Modules of scripts, made one for a page."""

from arena.reports.html.assets import untied


def test_a_type_at_the_start_of_a_line_is_no_comment() -> None:
    module = "/** The first.\n */\n/** @type {A} */ (x).f();\n  // why\ny();\n/** The last. */\n"
    assert untied(module) == "/** @type {A} */ (x).f();\ny();\n"
