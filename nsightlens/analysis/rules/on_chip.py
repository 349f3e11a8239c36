"""Work inside the multiprocessor that a defect adds: conflicts, spills, contended atomics, masked lanes."""

import math

from nsightlens.analysis.resources import L2
from nsightlens.analysis.rules.rule import Excess, Facts, beyond, excess, part, significant

_LANES = 32.0
PER_INSTRUCTION = (
    "busy_issue",
    "busy_alu",
    "busy_fma",
    "busy_fma_heavy",
    "busy_fp64",
    "busy_xu",
    "busy_lsu",
)


def bank_conflict(v: Facts) -> Excess:
    """Shared-memory wavefronts beyond one per conflict-free access."""
    return excess({"busy_l1_wavefronts": part(v["bank_conflicts"], v["l1_wavefronts"])})


def register_spill(v: Facts) -> Excess:
    """Instructions, wavefronts and sectors of local memory: spilled registers and arrays indexed at run time."""
    if not v["local_sectors"] > 0:
        return Excess()
    wavefronts = part(v["local_sectors"] / 4, v["l1_wavefronts"])
    sectors = part(v["local_sectors_beyond_l1"], v["l1_to_l2_sectors"])
    loads, stores = v["local_load_instructions"], v["local_store_instructions"]
    work = {
        "busy_l1_wavefronts": wavefronts,
        **dict.fromkeys(L2, sectors),
        "dram_share": sectors,
        "busy_issue": part(loads + stores, v["instructions"]),
        "busy_lsu": part(loads + stores, v["lsu_instructions"]),
    }
    return excess(work, {"memory": part(loads, v["read_instructions"]), "memory_queue": sectors or wavefronts})


def atomic_contention(v: Facts) -> Excess:
    """Work of the hottest atomic unit of L2 beyond the average one's, and conflicts of atomics on shared memory."""
    shared = part(v["shared_atomic_conflicts"], v["l1_wavefronts"])
    return excess({"busy_atomics": beyond(v["busy_atomics_avg"], v["busy_atomics"]), "busy_l1_wavefronts": shared})


def divergence(v: Facts) -> Excess:
    """Lanes masked off by branches (not by predicates), on everything that is issued per warp."""
    threads = v["threads_per_instruction"]
    share = beyond(threads, _LANES) if threads > 0 else 0.0
    return excess(dict.fromkeys(PER_INSTRUCTION, share), {"fixed": share, "shared_memory": share})


_FP64_DIVISION_ISSUES, _FP64_DIVISION_FP64 = 26.0, 7.5
"""Instructions that one FP64 division adds to a multiplication, and those of them on the FP64 pipe."""
_INTEGER_DIVISION_ISSUES, _INTEGER_DIVISION_XU = 22.0, 3.0
_XU = ("MUFU", "F2F", "I2F", "F2I")


def instruction_overhead(v: Facts) -> Excess:
    """Instructions of divisions, known by the reciprocals that begin them: FP64, and 32-bit integers by a variable."""
    fp64 = v.count("MUFU.RCP64H")
    integer = min(v.count("I2F.RP", "I2F.U32.RP", "I2F.S32.RP"), v.count("MUFU.RCP") - fp64)
    total = v.count("")
    issues = part(_FP64_DIVISION_ISSUES * fp64 + _INTEGER_DIVISION_ISSUES * integer, total)
    work = {
        "busy_issue": issues,
        "busy_fp64": part(_FP64_DIVISION_FP64 * fp64, v.count("DFMA", "DMUL", "DADD", "DSETP", "DMNMX")),
        "busy_xu": part(fp64 + _INTEGER_DIVISION_XU * integer, v.count(*_XU)),
        "busy_alu": part(_INTEGER_DIVISION_ISSUES * integer, total),
        "busy_fma_heavy": part(_INTEGER_DIVISION_ISSUES * integer, total),
    }
    return excess(work, {"fixed": issues, "shared_memory": work["busy_xu"]})


_BACK_AND_FORTH = 1 / 8
"""Results that return to FP32, over data that came from it: below this FP64 is where sums are kept on purpose."""


def slow_pipe(v: Facts) -> Excess:
    """FP64 arithmetic on data that come from FP32 and return to it, with the conversions."""
    up, down = v.count("F2F.F64.F32"), v.count("F2F.F32.F64")
    if not (up > 0 and down >= _BACK_AND_FORTH * up):
        return Excess()
    ratio = v["fp64_flop_per_s"] / v["fp32_flop_per_s"]
    faster = significant(1.0 - (0.5 if math.isnan(ratio) else ratio))
    converted = part(up + down, v.count(""))
    work = {"busy_fp64": faster, "busy_xu": part(up + down, v.count(*_XU)), "busy_issue": converted}
    return excess(work, {"shared_memory": work["busy_xu"], "fixed": converted})
