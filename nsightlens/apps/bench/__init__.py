"""Measurements with the shipped kernels."""
