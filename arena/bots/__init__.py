"""Bot packages: what a student hands in, from a folder or an archive to a program that plays."""
