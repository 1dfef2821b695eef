"""How Hypothesis runs here: no example is judged by its time, a failure prints how to repeat it."""

from hypothesis import settings

settings.register_profile("rules", deadline=None, print_blob=True)
settings.load_profile("rules")
