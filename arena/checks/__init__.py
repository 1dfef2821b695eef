"""The checklist of a bot before it plays: what is wrong, and what to change."""
