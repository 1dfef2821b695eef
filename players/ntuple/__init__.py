"""N-tuple networks, and how they learn."""
