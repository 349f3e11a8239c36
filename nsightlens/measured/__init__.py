"""Ceilings measured on a GPU: their rates, the files that keep them, and which of them serve."""

from nsightlens.measured.choice import find_ceilings, named_ceilings, passed_over, using
from nsightlens.measured.files import SCHEMA, read_ceilings, ready_folder, write_ceilings
from nsightlens.measured.rates import Measured, true_ceilings

__all__ = [
    "SCHEMA",
    "Measured",
    "find_ceilings",
    "named_ceilings",
    "passed_over",
    "read_ceilings",
    "ready_folder",
    "true_ceilings",
    "using",
    "write_ceilings",
]
