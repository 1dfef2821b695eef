"""The checklist of a bot before it plays: its mistakes, and how to fix them."""
