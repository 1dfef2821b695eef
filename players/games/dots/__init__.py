"""Dots and boxes, compiled."""
