"""Closed-form models: plain functions on numbers."""
