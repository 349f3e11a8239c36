"""``nsightlens ceilings``: the same as ``nsightlens bench ceilings``."""

from nsightlens.cli.bench.ceilings import command

__all__ = ["command"]
