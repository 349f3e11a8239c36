"""The kernels of the overlap experiment hold the arithmetic of the catalogue's formula and no other."""

import re
import subprocess
from collections import Counter

import cuda_sources
import pytest

from nsightlens.kernels.catalogue import workload

STEPS = 5


@pytest.mark.skipif(not cuda_sources.NVCC, reason="nvcc is not there")
@pytest.mark.parametrize(("kind", "operation", "each"), [(64, "fma.f64", 2), (32, "fma.f32", 4), (164, "mma.f64", 1)])
@pytest.mark.parametrize("variant", ["full", "memory"])
def test_with_memory_accesses_there_is_no_arithmetic_but_the_steps(tmp_path, kind, operation, each, variant):
    """16 bytes of a thread are 2 FP64 or 4 FP32; the values that stand for memory elsewhere are not made up here."""
    work = workload("factorial", kind=kind, steps=STEPS, vectors=32, blocks=1, variant=variant)
    (tmp_path / "k.cu").write_text(work.code)
    defines = [f"-D{name}={value}" for name, value in work.defines.items()]
    command = [cuda_sources.NVCC, "-std=c++17", "-arch=sm_90", *defines, "-ptx", "-o", tmp_path / "k.ptx"]
    subprocess.run([*command, tmp_path / "k.cu"], check=True, capture_output=True)
    body = re.search(r"\.entry factorial\(.*?\n}", (tmp_path / "k.ptx").read_text(), re.DOTALL)[0]
    found = Counter(f"{one}.{kind}" for one, kind in re.findall(r"\b(add|sub|mul|fma|mma)\.\S*?(f32|f64)\b", body))
    assert found == ({operation: each * STEPS} if variant == "full" else {})
