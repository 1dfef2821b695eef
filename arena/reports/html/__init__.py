"""Pages in a browser: one file to publish, or what a server sends. A reader of the run view.

`pages.run_page` and `pages.sections` make the document of a run, `data.run_data` and
`data.game_data` what its scripts draw, each for an `audience.Audience`; `assets` has the one
script and the one style sheet; `one_file.write_report` puts all of it into a file.
"""
