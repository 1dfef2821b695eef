"""Connect four as a course would add it: rules in one file, compiled code in one folder."""
