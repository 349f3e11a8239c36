"""Every number of the vectors that were worked out apart from the code (``data/model_vectors.json``), to 1e-6."""

import json
from pathlib import Path

import pytest

from nsightlens.models import ablation, implementations, intensity, overlap, stencil, stencil_tensor, tensor_core
from nsightlens.models.stencil_catalogue import regular

VECTORS = json.loads((Path(__file__).parent / "data" / "model_vectors.json").read_text(encoding="utf-8"))


def _redundancy(shape, dimensions, radius, steps):
    one = regular(shape, dimensions, radius)
    return stencil.fusion_redundancy(one.fused_taps(steps), one.taps, steps)


def _rates(cuda, tensor, bandwidth, taps, element_bytes, redundancy, useful, cuda_steps, tensor_steps):
    found = stencil_tensor.compare(
        cuda,
        tensor,
        bandwidth,
        taps=taps,
        element_bytes=element_bytes,
        fusion_redundancy=redundancy,
        useful=useful,
        cuda_steps=cuda_steps,
        tensor_steps=tensor_steps,
    )
    return found.cuda.updates_per_s / 1e9, found.tensor.updates_per_s / 1e9, found.speedup


def _raw_overlap(total, t_mem, t_cmp, idle_low, idle_high):
    """Return phi at both ends of what is known of the idle time, unclipped."""
    slack = max(0.0, total - max(t_mem, t_cmp))
    least, most = max(idle_low, total - t_mem - t_cmp, 0.0), slack if idle_high is None else min(idle_high, slack)
    return overlap.fraction(total, t_mem, t_cmp, least), overlap.fraction(total, t_mem, t_cmp, most)


MODELS = {
    "unoverlapped_bound(alpha,x)": (2, tensor_core.unoverlapped),
    "unoverlapped_exact(alpha,x,y)": (3, tensor_core.unoverlapped),
    "tc_bound(alpha)": (1, tensor_core.bound),
    "workload_bound(I,balance)": (2, tensor_core.workload_bound),
    "partial_overlap_speedup(alpha,x,phi,e)": (4, tensor_core.speedup),
    "spmv_I(m,n,nnz)": (4, lambda _, *shape: intensity.spmv_csr(*shape).intensity),
    "gemv_I(m,n,D)": (3, lambda *shape: intensity.gemv(*shape).intensity),
    "scale_I(D)": (1, lambda element_bytes: intensity.scale(1000, element_bytes).intensity),
    "fusion_alpha_box(d,R,t)": (3, lambda *shape: _redundancy("box", *shape)),
    "fusion_alpha_star_r1(d,t)": (2, lambda dimensions, steps: _redundancy("star", dimensions, 1, steps)),
    "stencil_model(Pc,Pt,B,taps,D,alpha,S,t_c,t_t)->(gst_c,gst_t,speedup)": (9, _rates),
    "phi_bounds(T,Tm,Tc,E_lo,E_hi|null)->raw(lo,hi)": (5, _raw_overlap),
    "phi_ablation(T,T_M,T_C,T_0)": (4, ablation.overlap),
    "t_min(I_ridge,I_base)": (2, stencil.least_steps),
    "spider_S(r)": (1, implementations.spider_density),
}
SCHEMES = {
    "ConvStencil 7x7": (implementations.convstencil(), 49),
    "LoRA paper box2d3r": (implementations.lorastencil(3, "paper"), 49),
    "LoRA code box2d3r": (implementations.lorastencil(3), 49),
    "TCStencil r3 paper": (implementations.tcstencil(3, "paper"), 49),
    "SPIDER r7 logical": (implementations.spider(7), 225),
}


def test_no_vector_is_left_out():
    assert set(MODELS) | {"mac_inflation"} == set(VECTORS)
    assert set(SCHEMES) | {"SPIDER r7 physical"} == set(VECTORS["mac_inflation"])


@pytest.mark.parametrize(
    ("name", "vector"), [(name, vector) for name in MODELS for vector in VECTORS.get(name, [None])]
)
def test_vector(name, vector):
    count, model = MODELS[name]
    result = model(*vector[:count])
    expected = vector[count:]
    assert (result if isinstance(result, tuple) else (result,)) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("name", SCHEMES)
def test_multiply_adds_over_those_of_the_stencil(name):
    scheme, taps = SCHEMES[name]
    assert scheme.macs / taps == pytest.approx(VECTORS["mac_inflation"][name], abs=1e-6)
    assert 1 / scheme.useful(taps) == pytest.approx(VECTORS["mac_inflation"][name], abs=1e-6)


def test_half_of_the_places_of_a_sparse_unit_cost_nothing():
    expected = VECTORS["mac_inflation"]["SPIDER r7 physical"]
    assert implementations.spider(7).physical_macs / 225 == pytest.approx(expected, abs=1e-6)
