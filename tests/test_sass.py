"""What the compiler makes of the kernels whose rates are ceilings: as many instructions of the kind as they claim."""

import cuda_sources
import pytest

from nsightlens.kernels.catalogue import workload
from nsightlens.kernels.ceilings_compute import MMA

pytestmark = pytest.mark.skipif(
    cuda_sources.NVCC is None or cuda_sources.disassembler() is None, reason="nvcc or nvdisasm is not there"
)
FMA = {"fp64": "DFMA", "fp32": "FFMA", "fp16": "HFMA2"}
FAMILIES = {
    "fp64_m8n8k4": "DMMA.8x8x4",
    "fp64_m16n8k4": "DMMA.16x8x4",
    "fp64_m16n8k8": "DMMA.16x8x8",
    "fp64_m16n8k16": "DMMA.16x8x16",
    "tf32": "HMMA.1688.F32.TF32",
    "fp16": "HMMA.16816.F32",
    "fp16_fp16": "HMMA.16816.F16",
    "bf16": "HMMA.16816.F32.BF16",
    "int8": "IMMA.16832.S8.S8",
    "fp8": "QMMA.16832.F32.E4M3.E4M3",
    "fp16_sparse": "HMMA.SP.16832.F32",
    "tf32_sparse": "HMMA.SP.16816.F32.TF32",
}


def of(kind, loop):
    """Return the instructions of a loop that are of a kind: ``HFMA2`` may go to either pipe."""
    return [one for one in loop if one.split()[0] in {kind, f"{kind}.MMA"}]


def results(instructions):
    """Return the registers that the instructions write to."""
    return {one.split()[1] for one in instructions}


@pytest.mark.parametrize("kind", FMA)
def test_a_round_is_512_multiply_adds_and_next_to_nothing_else(kind, tmp_path):
    loop = cuda_sources.longest_loop(workload("fma_rate", kind=kind, blocks=1, rounds=3), "sm_90", tmp_path)
    assert len(of(FMA[kind], loop)) == 512
    assert len(results(of(FMA[kind], loop))) >= 8
    assert len(loop) <= 512 * 1.01


@pytest.mark.parametrize("kind", MMA)
def test_a_round_is_eight_tensor_instructions_of_the_kind(kind, tmp_path):
    work = workload("mma_rate", kind=kind, blocks=1, rounds=3)
    archs = [arch for arch in ("sm_89", "sm_90", "sm_120") if work.runs_on(f"{arch[3:-1]}.{arch[-1]}")]
    assert archs
    arch = "sm_90" if "sm_90" in archs else archs[0]
    loop = cuda_sources.longest_loop(work, arch, tmp_path)
    assert len(of(FAMILIES[kind], loop)) == len(results(of(FAMILIES[kind], loop))) == 8
    assert sum("MMA" in one.split()[0] for one in loop) == 8


@pytest.mark.parametrize("bits", [64, 32])
def test_both_kinds_in_one_warp_are_in_one_loop(bits, tmp_path):
    loop = cuda_sources.longest_loop(workload("co_issue", bits=bits, blocks=1, rounds=3), "sm_90", tmp_path)
    products = of("DMMA.16x8x8" if bits == 64 else "HMMA.16816.F32", loop)
    assert len(of("DFMA" if bits == 64 else "FFMA", loop)) == 128
    assert len(products) == len(results(products)) == 8
