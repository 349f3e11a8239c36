"""Whole jobs that join the layers below: profile, demo."""
