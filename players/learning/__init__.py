"""Where the numbers of the evaluations come from: self-play, and fits to what it shows."""
