"""Files and signals: TOML, caches, locks, stop signals. Imports nothing of ours."""
