"""Readers of what ncu and nvprof write as CSV or as text; ``reader`` is the way in."""
