"""The first walk over a file: how many launches it holds, whether it is whole, and how its numbers are to be read."""

from collections.abc import Callable, Iterable
from functools import lru_cache

from nsightlens.collectors.text.decimals import Decimals, whole
from nsightlens.collectors.text.entry import Cell, Entry
from nsightlens.collectors.text.header import DETAILS, NVPROF_METRICS, NVPROF_SUMMARY, SUMMARY
from nsightlens.collectors.text.numbers import exponent_of, main_value, number
from nsightlens.collectors.text.scan import Scan
from nsightlens.collectors.text.tally import Tally, repeated

_PRINTED = frozenset({DETAILS, "ncu-text-details", "ncu-text-raw", "ncu-text-summary"})
_AVERAGED = frozenset({SUMMARY, "ncu-text-summary", NVPROF_METRICS, NVPROF_SUMMARY})
_ASIDE = ("launch__", "device__", "profiler__")
_REMEMBERED = 1 << 14
_LIST = "launch__tpc_enabled"  # holds "all" or a list such as 0,1
_NAME = "device__attribute_display_name"


class Survey:
    """Walks over a file and decides what the second walk needs to know.

    Parameters
    ----------
    lines
        Gives the lines of the file, afresh at each call.
    """

    def __init__(self, lines: Callable[[], Iterable[str]]) -> None:
        self.merge = False
        self._walk(lines)
        if self.scan.findings.scattered:
            self.merge = True
            self._walk(lines)
        for tally, table in zip(self.tallies, self.scan.tables, strict=True):
            tally.format = table.format
        self.left_out = repeated(self.tallies)

    def _walk(self, lines: Callable[[], Iterable[str]]) -> None:
        self.scan = Scan(lines(), merge=self.merge)
        self.decimals = Decimals()
        self.tallies: list[Tally] = []
        self.devices: dict[str, None] = {}
        self._last: dict[str, Cell] = {}
        self.unknown_units: dict[str, None] = {}
        self.measured = self.unavailable = 0
        for entry in self.scan.entries():
            self._add(entry)
        self._reach(len(self.scan.tables))

    def _reach(self, table: int) -> None:
        while len(self.tallies) < table:
            self.tallies.append(Tally())

    def _add(self, entry: Entry) -> None:
        self._reach(entry.table)
        self.tallies[-1].add(entry)
        self._name_device(entry.facts.get(_NAME))
        single = entry.invocations == 1
        for cell in entry.cells:
            name, unit, text = cell
            if self._last.get(name) == cell:
                continue  # the attributes of the device are the same for every launch
            if len(self._last) < _REMEMBERED:
                self._last[name] = cell
            value = main_value(text)
            measures, counts, known = _traits(name, unit)
            if ("." in value or "," in value) and name != _LIST:
                self.decimals.see(value, unit, whole=single and counts)
            if not known:
                self.unknown_units[unit] = None
            if measures:
                missing = not value[:1].isdigit() and number(value) is None
                self.unavailable += missing
                self.measured += not missing
            elif name == _NAME:
                self._name_device(text)

    def _name_device(self, name: str | None) -> None:
        if name:
            self.devices[name] = None

    @property
    def kept(self) -> list[Tally]:
        """The tables that are read, in order."""
        return [tally for place, tally in enumerate(self.tallies, 1) if place not in self.left_out]

    @property
    def format(self) -> str:
        """Format of the first table that holds a launch."""
        return next((tally.format for tally in self.kept if tally.process_ids), "")

    def notes(self, decimal: str | None = None) -> tuple[str, list[str]]:
        """Return the decimal separator and what a reader of the result should know."""
        mark, why = self.decimals.decide(decimal)
        notes = [why] if why else []
        notes += self._about_tables()
        notes += self.scan.findings.notes
        if self.unknown_units:
            notes.append(f"values in unknown units were left out: {_some(self.unknown_units)}")
        if self.scan.findings.unmapped:
            notes.append(f"rows whose counter is not known here were left out: {_some(self.scan.findings.unmapped)}")
        notes += self.suspicions()
        notes += [f"ncu said: {text}" for text in self.scan.log.errors]
        return mark, notes

    def _about_tables(self) -> list[str]:
        notes = []
        formats = {tally.format for tally in self.kept}
        launches = sum(tally.launches for tally in self.kept)
        if formats & _AVERAGED:
            least = "" if all(tally.counted for tally in self.kept) else "at least "
            notes.append(f"each row stands for all launches of a kernel ({least}{launches} in all): averages were read")
        if formats & _PRINTED:
            notes.append("read from a printed page: values are rounded, and only what the page shows is known")
        if self.left_out:
            notes.append("the file holds the same launches more than once: each was read once")
        if self.merge:
            notes.append("the rows of a launch do not stand together: they were put together by launch number")
        return notes

    def suspicions(self) -> list[str]:
        """Return why launches may be missing although nothing is visibly cut."""
        held = sum(tally.launches for tally in self.kept)
        announced = self.scan.log.announced
        missing = [f"ncu announced {announced} launches, {held} are in the file"] if announced > held else []
        return [*self.scan.findings.suspicions, *missing]


@lru_cache(maxsize=1 << 14)
def _traits(name: str, unit: str) -> tuple[bool, bool, bool]:
    """Return whether a counter is measured, whether it is whole in this unit, and whether the unit is known."""
    return not name.startswith(_ASIDE), whole(name, unit), exponent_of(unit) is not None


def _some(names: dict[str, None], most: int = 5) -> str:
    shown = list(names)[:most]
    return ", ".join(shown) + (f" and {len(names) - most} more" if len(names) > most else "")
