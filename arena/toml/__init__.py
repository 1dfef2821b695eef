"""TOML files that people write: read, judged, and what is wrong with them in words."""
