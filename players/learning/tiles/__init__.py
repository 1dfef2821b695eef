"""Networks for 2048 and 2584 that learn from games with themselves at 1 ply (course notes, S20)."""
