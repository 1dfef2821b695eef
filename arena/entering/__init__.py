"""A bot's way into a folder of submissions, for `arena submit` and the server."""
