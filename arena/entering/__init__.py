"""A bot's way into a folder of submissions: what `arena submit` and the server do."""
