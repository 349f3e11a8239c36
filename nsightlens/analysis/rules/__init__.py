"""Rules of the loss ledger for causes of excess work, and how a package adds one of its own.

A package adds a rule by an entry point of the group ``nsightlens.loss_rules`` that names a ``Rule``.
"""

from functools import cache
from importlib.metadata import entry_points

from nsightlens.analysis.rules import access, on_chip
from nsightlens.analysis.rules.plugins import load_rule
from nsightlens.analysis.rules.rule import Attribution, Excess, Facts, Find, Rule, beyond, excess, part
from nsightlens.data import table
from nsightlens.errors import UsageError

GROUP = "nsightlens.loss_rules"

__all__ = ["GROUP", "Attribution", "Excess", "Facts", "Find", "Rule", "added", "beyond", "excess", "part", "rules"]

_SHIPPED = (
    (access.uncoalesced_access, ("load_bytes_per_sector", "store_bytes_per_sector", "dram_share")),
    (access.narrow_access, ("global_load_requests", "global_store_requests", "busy_lsu")),
    (access.l2_miss, ("dram_bytes", "l2_hit_share")),
    (on_chip.register_spill, ("local_sectors", "l1_wavefronts")),
    (on_chip.bank_conflict, ("bank_conflicts", "l1_wavefronts")),
    (on_chip.atomic_contention, ("busy_atomics", "busy_atomics_avg", "shared_atomic_conflicts")),
    (on_chip.divergence, ("threads_per_instruction",)),
    (on_chip.instruction_overhead, ("busy_issue", "busy_xu", "busy_fp64")),
    (on_chip.slow_pipe, ("busy_fp64", "busy_xu")),
)


@cache
def rules() -> tuple[Rule, ...]:
    """Return the shipped rules and those of installed packages.

    Raises
    ------
    UsageError
        If an entry point names no rule, or two name the same cause.
    """
    return (*map(_shipped, _SHIPPED), *added())


@cache
def added() -> tuple[Rule, ...]:
    """Return the rules of installed packages.

    Raises
    ------
    UsageError
        If an entry point names no rule, or two name the same cause.
    """
    found = {}
    for point in entry_points(group=GROUP):
        rule = load_rule(point)
        if rule.cause in found:
            raise UsageError(f"two packages bring a rule for {rule.cause}", where=GROUP, remedy="uninstall one of them")
        found[rule.cause] = rule
    return tuple(found.values())


def _shipped(entry: tuple[Find, tuple[str, ...]]) -> Rule:
    find, evidence = entry
    words = table("causes")[find.__name__]
    doc = (find.__doc__ or "").strip().splitlines()[0]
    return Rule(find.__name__, doc, evidence, find, confidence=words["confidence"], advice=words["advice"])
