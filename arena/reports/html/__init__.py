"""Pages in a browser: one file to publish, or what a server sends. A reader of the run view."""
