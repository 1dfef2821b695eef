"""Helpers for compiled code: the kernel cache, bits, vector lanes, atomics."""
