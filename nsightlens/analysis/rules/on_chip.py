"""Work inside the multiprocessor that a defect adds: conflicts, spills, contended atomics, masked lanes."""

import math
from typing import NamedTuple

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
    """Find shared-memory wavefronts beyond one per conflict-free access."""
    return excess({"busy_l1_wavefronts": part(v["bank_conflicts"], v["l1_wavefronts"])})


def register_spill(v: Facts) -> Excess:
    """Find instructions, wavefronts and sectors of local memory: spilled registers and arrays indexed at run time."""
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
    return excess(work, {"memory": part(loads, v["read_instructions"]), "memory_queue": sectors})


def atomic_contention(v: Facts) -> Excess:
    """Find work of the hottest atomic unit of L2 beyond the average one's, and conflicts of shared atomics."""
    shared = part(v["shared_atomic_conflicts"], v["l1_wavefronts"])
    return excess({"busy_atomics": beyond(v["busy_atomics_avg"], v["busy_atomics"]), "busy_l1_wavefronts": shared})


def divergence(v: Facts) -> Excess:
    """Find lanes masked off by branches (not by predicates), on everything that is issued per warp."""
    threads = v["threads_per_instruction"]
    share = beyond(threads, _LANES) if threads > 0 else 0.0
    return excess(dict.fromkeys(PER_INSTRUCTION, share), {"fixed": share, "shared_memory": share})


_XU = ("MUFU", "F2F", "I2F", "F2I")
_FP64 = ("DFMA", "DMUL", "DADD", "DSETP", "DMNMX")
_ALU = (
    *("IADD", "VIADD", "ISETP", "SEL", "LOP", "PLOP", "MOV"),
    *("SHF", "LEA", "PRMT", "FSETP", "FMNMX", "IMNMX", "VIMNMX"),
)


class Division(NamedTuple):
    """Instructions (all, and those on a pipe) of a division beyond a multiplication, as compilers write it."""

    issue: float
    fp64: float = 0.0
    xu: float = 0.0
    alu: float = 0.0
    fma_heavy: float = 0.0


# Counted in machine code of CUDA 13 for sm_90. An integer division sets up its divisor's reciprocal once, however many
# divisions follow.
_FP64_DIVISION = Division(issue=16, fp64=8, xu=1, alu=4, fma_heavy=1)
_INTEGER_SETUP = Division(issue=12, xu=3, alu=5, fma_heavy=4)
_INTEGER_DIVISION = Division(issue=7, alu=5, fma_heavy=2)


def instruction_overhead(v: Facts) -> Excess:
    """Find instructions of divisions, FP64 and of 32-bit integers, known by the reciprocals that begin them."""
    fp64 = v.count("MUFU.RCP64H")
    setups = min(v.count("I2F.RP", "I2F.U32.RP", "I2F.S32.RP"), v.count("MUFU.RCP") - fp64)
    divisions = max(v.count("IMAD.HI.U32") - setups, setups)
    kinds = ((fp64, _FP64_DIVISION), (setups, _INTEGER_SETUP), (divisions if setups > 0 else 0.0, _INTEGER_DIVISION))

    def share(pipe: str, *opcodes: str) -> float:
        return part(sum(number * getattr(kind, pipe) for number, kind in kinds), v.count(*opcodes))

    issue, xu = share("issue", ""), share("xu", *_XU)
    work = {
        "busy_issue": issue,
        "busy_fp64": share("fp64", *_FP64),
        "busy_xu": xu,
        "busy_alu": share("alu", *_ALU),
        "busy_fma_heavy": share("fma_heavy", "IMAD", "FFMA"),
    }
    return excess(work, {"fixed": issue, "shared_memory": xu})


_BACK_AND_FORTH = 1 / 8
"""Results that return to FP32, over data that came from it: below this FP64 is where sums are kept on purpose."""


def slow_pipe(v: Facts) -> Excess:
    """Find FP64 arithmetic on data that come from FP32 and return to it, with the conversions."""
    up, down = v.count("F2F.F64.F32"), v.count("F2F.F32.F64")
    if not (up > 0 and down >= _BACK_AND_FORTH * up):
        return Excess()
    fp32 = v["fp32_flop_per_s"]
    ratio = v["fp64_flop_per_s"] / fp32 if fp32 > 0 else math.nan
    arithmetic, tests = v.count("DFMA", "DMUL", "DADD"), min(v.count("DSETP"), down)
    left = part(arithmetic, arithmetic + tests) * (0.5 if math.isnan(ratio) else ratio)
    helpers = up + down + tests + min(v.count("FMUL"), 2 * down)  # a result's range is tested, and scaled
    converted = part(helpers, v.count(""))
    work = {"busy_fp64": significant(1.0 - left), "busy_xu": part(up + down, v.count(*_XU)), "busy_issue": converted}
    return excess(work, {"shared_memory": work["busy_xu"], "fixed": converted})
