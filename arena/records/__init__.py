"""Game records in the forms other programs read: one file a form."""
