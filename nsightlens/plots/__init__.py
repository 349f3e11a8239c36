"""Figures: plot_x(result, ax) -> ax."""
