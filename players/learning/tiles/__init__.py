"""Networks for 2048 and 2584 that learn from games with themselves, by temporal differences.

The course notes' S20: values of afterstates as sums of table entries, learned at 1 ply.
"""
