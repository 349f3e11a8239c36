"""Rates of the units, and published codes, as tables."""

from nsightlens.answers.answer import Column, Listing
from nsightlens.answers.stencil_codes import Fit
from nsightlens.answers.stencil_units import UnitRate
from nsightlens.models.stencil_tensor import Rate

_RATES = (
    Column("unit", "unit"),
    Column("updates_per_s", "rate", "St/s"),
    Column("bound", "limited by"),
    Column("speedup", "× CUDA"),
    Column("how", "computed"),
)
_CODES = (
    Column("code", "code"),
    Column("unit", "unit"),
    Column("fits", "fits"),
    Column("steps", "t"),
    Column("updates_per_s", "rate at most", "St/s"),
    Column("why", "why"),
)


def rates_listing(cuda: Rate, units: tuple[UnitRate, ...]) -> Listing:
    """Return the rates of the units as a table."""
    first = ("CUDA cores", cuda.updates_per_s, cuda.bound, 1.0, "each step on its own")
    rows = (
        (u.unit, u.compared.tensor.updates_per_s, u.compared.tensor.bound, u.compared.speedup, u.how)
        if u.compared
        else (u.unit, None, None, None, u.how)
        for u in units
    )
    return Listing("rates", "Predicted rates at this depth, at most", _RATES, (first, *rows))


def codes_listing(found: tuple[Fit, ...]) -> Listing:
    """Return the published codes as a table."""
    rows = tuple(
        (fit.code, fit.unit, fit.fits, fit.steps, fit.rate.updates_per_s if fit.rate else None, fit.why)
        for fit in found
    )
    return Listing("codes", "Published codes, each at a depth it offers", _CODES, rows)
