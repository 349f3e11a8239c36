"""Stencils as users name them: by the catalogue, by other suites' names, or by shape, dimensions and radius."""

import re
from difflib import get_close_matches
from typing import Literal, cast

from nsightlens.errors import UsageError
from nsightlens.models.stencil_catalogue import Stencil, names, regular, stencil

_REGULAR = re.compile(r"(star|box)([123])d(\d{1,4})r")
_OTHER_NAME = re.compile(r"[a-z]+\d+d\w*")
_TRAPS = {
    "2d9pt": "2d9pt is the box of radius 1 here, as in EBISU and article 1; other suites (AN5D's j2d9pt) call the star"
    " of radius 2 so, which is 2ds9pt here.",
    "2ds9pt": "2ds9pt is the star of radius 2; other suites (AN5D's j2d9pt) call it 2d9pt, which is the box of radius 1"
    " here.",
    "2d25pt": "2d25pt is the box of radius 2 here; the star of radius 6 has 25 points too, and is 2ds25pt.",
    "2ds25pt": "2ds25pt is the star of radius 6; the box of radius 2 has 25 points too, and is 2d25pt.",
}


def find_stencil(text: str) -> Stencil:
    """Return the stencil of a name, such as ``2d9pt``, ``box2d1r``, ``star-3d1r`` or ``Heat-2D``.

    Raises
    ------
    UsageError
        If there is none; the message lists near names.
    """
    wanted = _plain(text)
    for known in map(stencil, names()):
        if wanted in _spellings(known):
            return known
    if match := _REGULAR.fullmatch(wanted):
        return regular(cast("Literal['star', 'box']", match[1]), int(match[2]), int(match[3]))
    near = get_close_matches(wanted, [_plain(name) for name in names()], cutoff=0.5)
    remedy = f"try {', '.join(near)}" if near else f"known are {', '.join(names())}"
    raise UsageError(f"{text!r} is no stencil", where="--shape", remedy=f"{remedy}, or star2d1r, box3d2r and the like")


def trap(found: Stencil) -> str | None:
    """Return the warning that belongs to a name which suites use differently."""
    return _TRAPS.get(found.name)


def _spellings(known: Stencil) -> set[str]:
    others = {_plain(part.split(" of ")[0]) for part in known.also.split(",")}
    if known.shape != "points":
        others.add(f"{known.shape}{known.dimensions}d{known.radius}r")
    return {_plain(known.name), *(other for other in others if _OTHER_NAME.fullmatch(other))}


def _plain(text: str) -> str:
    return re.sub(r"[\s_-]", "", text.lower())
