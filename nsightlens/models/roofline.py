"""The roofline model (Williams, Waterman and Patterson, CACM 52(4), 2009)."""


def machine_balance(peak_flop_per_s: float, bytes_per_s: float) -> float:
    """Return the ridge point in FLOP/byte: the intensity at which both ceilings meet."""
    return peak_flop_per_s / bytes_per_s


def attainable(intensity_flop_per_byte: float, peak_flop_per_s: float, bytes_per_s: float) -> float:
    """Return the most FLOP/s that the roofline allows at an operational intensity."""
    return min(peak_flop_per_s, intensity_flop_per_byte * bytes_per_s)
