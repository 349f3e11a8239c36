"""nsightlens: roofline, overlap and a loss ledger that adds up, from Nsight Compute reports."""

from typing import TYPE_CHECKING, Any

from nsightlens._version import __version__

if TYPE_CHECKING:
    from nsightlens.analysis import analyze_reports as analyze
    from nsightlens.apps.profile import profile
    from nsightlens.collectors.load import load
    from nsightlens.ranges import annotate

__all__ = ["__version__", "analyze", "annotate", "load", "profile"]

_HOMES = {
    "analyze": ("nsightlens.analysis", "analyze_reports"),
    "annotate": ("nsightlens.ranges", "annotate"),
    "load": ("nsightlens.collectors.load", "load"),
    "profile": ("nsightlens.apps.profile", "profile"),
}


def __dir__() -> list[str]:
    """Return the public names, imported yet or not."""
    return sorted(__all__)


def __getattr__(name: str) -> Any:  # noqa: ANN401
    """Import a public name when it is first used."""
    if name not in _HOMES:
        raise AttributeError(f"module 'nsightlens' has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415

    module, attribute = _HOMES[name]
    value = getattr(import_module(module), attribute)
    globals()[name] = value  # a submodule of the same name must not win on the next look-up
    return value
