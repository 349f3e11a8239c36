"""Multiply-adds that published tensor-core stencils execute, from their matrix instructions and tiles.

Counted in the released code, or as a paper counts; both are named, since they differ. Sources: ConvStencil (PPoPP'24),
LoRAStencil (SC'24), TCStencil (ICS'22), SPIDER (PPoPP'26), and the comparison in article 2 (arXiv 2603.00477).
"""

from math import ceil
from typing import Literal, get_args

from nsightlens.errors import ModelError
from nsightlens.models.checks import not_negative, whole
from nsightlens.models.matrix_unit import useful_fraction
from nsightlens.models.scheme import Scheme

Accounting = Literal["released", "paper"]
_M8N8K4 = 8 * 8 * 4
_M16N16K16 = 16 * 16 * 16
_M16N8K16 = 16 * 8 * 16
_STRIP = 16


def convstencil(width: int = 7) -> Scheme:
    """Return ConvStencil for kernels up to ``width`` wide (2 R t + 1); the released code embeds all in 7 x 7.

    Two times ceil(width^2 / 4) m8n8k4 instructions give 8 rows of width + 1 outputs.

    Raises
    ------
    ModelError
        If ``width`` is not odd and in 3...7: an instruction has 8 columns.
    """
    whole(width=width)
    if width % 2 == 0 or not 3 <= width <= 7:  # noqa: PLR2004 – eight columns hold width + 1 outputs
        raise ModelError(f"ConvStencil takes kernels 3, 5 or 7 wide, not {width}")
    fits = f"2D stars and boxes, R t at most {width // 2}"
    count = 2 * ceil(width**2 / 4)
    return Scheme(f"ConvStencil {width}×{width}", "fp64", fits, count, _M8N8K4, 8 * (width + 1))


def lorastencil(rank: int = 3, accounting: Accounting = "released") -> Scheme:
    """Return LoRAStencil for a 7 x 7 kernel of a rank; any kernel has at most rank 7, a radial one at most 4.

    Per term, the paper counts 4 x 2 + 4 m8n8k4 instructions for a tile of 8 x 8 outputs; the released code takes 36
    for 8 x 32, since neighbouring tiles share.

    Raises
    ------
    ModelError
        If the rank is not in 1...7.
    """
    whole(rank=rank)
    if rank > 7:  # noqa: PLR2004 – a 7 x 7 matrix
        raise ModelError(f"a kernel of 7 x 7 has rank 7 at most, not {rank}")
    _counted(accounting)
    count, outputs = (36, 8 * 32) if accounting == "released" else (12, 8 * 8)
    fits = f"2D kernels of rank {rank}, R t at most 3"
    return Scheme(f"LoRAStencil rank {rank}, {accounting}", "fp64", fits, rank * count, _M8N8K4, outputs)


def lorastencil_star(steps: int = 1) -> Scheme:
    """Return LoRAStencil's released code for stars: the star of radius 3 in one step, or three fused steps of radius 1.

    The first multiplies both arms apart, 8 m8n8k4 per 8 x 8; the second is of rank 1 with 8 points per output mended
    on CUDA cores.

    Raises
    ------
    ModelError
        If ``steps`` is neither 1 nor 3.
    """
    if steps == 1:
        return Scheme("LoRAStencil star R3, released", "fp64", "2D star R3", 8, _M8N8K4, 64)
    if steps == 3:  # noqa: PLR2004 – the one depth that it fuses
        return Scheme("LoRAStencil star R1 t3, released", "fp64", "2D star R1, 3 steps", 9, _M8N8K4, 64, cuda_macs=8)
    raise ModelError(f"LoRAStencil fuses 1 or 3 steps of stars, not {steps}")


def tcstencil(radius: int, accounting: Accounting = "released") -> Scheme:
    """Return TCStencil: 2 R + 1 m16n16k16 instructions per 16 x 16 tile.

    Of the tile the paper of SPIDER counts the (16 - 2 R)^2 whole outputs; the released code mends the rest on CUDA
    cores, which is not counted here.

    Raises
    ------
    ModelError
        If the radius is not in 1...7: nothing of the tile would be left.
    """
    whole(radius=radius)
    _counted(accounting)
    kept = _STRIP - 2 * radius
    if kept < 1:
        raise ModelError(f"a tile 16 wide keeps no cell at radius {radius}")
    outputs = _STRIP**2 if accounting == "released" else kept**2
    name = f"TCStencil R{radius}, {accounting}"
    return Scheme(name, "fp16", f"2D stars and boxes, R {radius}", 2 * radius + 1, _M16N16K16, outputs)


def spider(radius: int = 7) -> Scheme:
    """Return SPIDER's released code: two m16n8k16 sparse instructions per column of the kernel and 16 x 8 outputs.

    Raises
    ------
    ModelError
        If the band of 2 R + 1 does not fit strips of 16 (see ``spider_fits``).
    """
    if not spider_fits(radius):
        raise ModelError(f"a band of 2 x {radius} + 1 does not fit the 2:4 pattern of strips of {_STRIP}")
    count, fits = 2 * (2 * radius + 1), f"2D boxes, R t {radius}"
    return Scheme(f"SPIDER R{radius}", "fp16", fits, count, _M16N8K16, _STRIP * 8, sparse=True)


def spider_fits(radius: int, strip: int = _STRIP) -> bool:
    """Tell whether exchanging every other column makes the band 2:4 sparse: 2 R + 1 <= strip - 1.

    Raises
    ------
    ModelError
        If an argument is not a whole number from 1.
    """
    whole(radius=radius, strip=strip)
    return 2 * radius + 1 <= strip - 1


def spider_density(radius: int, strip: int | None = None, padded: int = 0) -> float:
    """Return (2 R + 1) / (2 R + L): the useful part of SPIDER's weight matrix, without unit.

    Parameters
    ----------
    radius
        R.
    strip
        L, rows of outputs; 2 R + 2, which gives one half, if not given.
    padded
        Columns of the matrix in the code, 32 for R = 7; not padded if 0.

    Raises
    ------
    ModelError
        If the band does not fit the strip, or the padded width is too small.
    """
    not_negative(padded=padded)
    strip = 2 * radius + 2 if strip is None else strip
    if not spider_fits(radius, strip):
        raise ModelError(f"a band of 2 x {radius} + 1 does not fit the 2:4 pattern of strips of {strip}")
    columns = 2 * radius + strip
    if 0 < padded < columns:
        raise ModelError(f"{padded} columns do not hold {columns}")
    return useful_fraction(2 * radius + 1, padded or columns)


def _counted(accounting: str) -> None:
    if accounting not in get_args(Accounting):
        raise ModelError(f"there is no such accounting: {accounting}; take one of: {', '.join(get_args(Accounting))}")
