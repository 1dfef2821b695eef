"""The applications around training, tuning and testing players."""
