"""Bot packages: what a student submits, from a folder or an archive to a program that plays."""
