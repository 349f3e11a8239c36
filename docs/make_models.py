"""Write docs/models.md from nsightlens/models: ``make docs``."""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from nsightlens.gpus import find_gpu
from nsightlens.models import implementations as codes
from nsightlens.models import scale, tensor_core
from nsightlens.models.intensity import gemv_limit, spmv_csr_limit
from nsightlens.models.intensity import scale as scale_cost
from nsightlens.models.roofline import machine_balance
from nsightlens.models.stencil import cost, fusion_redundancy, threshold
from nsightlens.models.stencil_catalogue import Stencil, names, stencil
from nsightlens.models.stencil_tensor import rate

PAGE = Path(__file__).with_name("models.md")


class Gpu(NamedTuple):
    """FP64 peaks in FLOP/s and bandwidth in byte/s."""

    cuda: float
    tensor: float
    bandwidth: float

    @property
    def balance(self) -> float:
        """FLOP/byte of the CUDA cores."""
        return machine_balance(self.cuda, self.bandwidth)


def _from_table(name: str) -> Gpu:
    peaks = find_gpu(name).peaks
    return Gpu(peaks["fp64_flop_per_s"], peaks["tensor_fp64_flop_per_s"], peaks["dram_bytes_per_s"])


GPUS = {
    "A100": Gpu(9.7e12, 19.5e12, 1.94e12),  # the bandwidth that article 1 gives
    "GH200": _from_table("gh200_96"),
    "H200": _from_table("h200"),
}
KERNELS = {"2d5pt": 3, "2d9pt": 3, "2d13pt": 1, "2d49pt": 1, "3d7pt": 3, "3d27pt": 3}
"""Stencils and fused steps of article 1's comparison."""
LORA = {"2d9pt": codes.lorastencil(), "2d13pt": codes.lorastencil_star(), "2d49pt": codes.lorastencil()}
CONV = dict.fromkeys(("2d5pt", "2d9pt", "2d13pt", "2d49pt"), codes.convstencil())
COUNTED = (
    (codes.convstencil(), "2d49pt", 1),
    (codes.convstencil(), "2d9pt", 3),
    (codes.convstencil(), "2d5pt", 3),
    (codes.convstencil(), "2d13pt", 1),
    (codes.lorastencil(3, "paper"), "2d49pt", 1),
    (codes.lorastencil(), "2d49pt", 1),
    (codes.lorastencil(), "2d9pt", 3),
    (codes.lorastencil_star(), "2d13pt", 1),
    (codes.lorastencil_star(3), "2d5pt", 3),
    (codes.tcstencil(3, "paper"), "2d49pt", 1),
    (codes.tcstencil(2), "2d25pt", 1),
    (codes.tcstencil(1), "2d9pt", 1),
    (codes.spider(), "box-2d7r", 1),
    (codes.spider(), "2d9pt", 7),
)

HEAD = """# Models

<!-- Written by docs/make_models.py from nsightlens/models: make docs -->

`nsightlens.models` holds closed-form models as plain functions on numbers: no GPU, no report, no NumPy. They come from
two articles, corrected where these are wrong ([corrections.md](corrections.md)): article 1, "Can Tensor Cores Benefit
Memory-Bound Kernels? (No!)", [arXiv 2502.16851](https://arxiv.org/abs/2502.16851), and article 2, "Do We Need Tensor
Cores for Stencil Computations?", [arXiv 2603.00477](https://arxiv.org/abs/2603.00477). What is neither's is ours.

| module | what it answers |
|---|---|
| `roofline` | machine balance, intensity, attainable rate, memory-boundness x, side of the ridge, mix of instructions |
| `tensor_core` | speed-up if all, nothing or a part overlaps; its bounds over kernels and over workloads |
| `scale` | SCALE on tensor cores: useful part, and the slow-down that arithmetic alone explains |
| `overlap`, `ablation` | overlap fraction as an interval from busy times, as a point from timed variants |
| `intensity` | work and least traffic of SCALE, GEMV, SpMV in CSR |
| `stencil_catalogue`, `stencil_points` | named stencils; their points after fusing steps |
| `stencil` | intensity with fused steps, redundancy, depth that pays or fits |
| `matrix_unit` | useful part of its work, sparse (2:4) units, the criterion of article 2 |
| `stencil_tensor` | stencils on both units: four regimes |
| `implementations`, `scheme` | multiply-adds that published codes execute |
| `ledger` | the loss ledger of `analyze` ([analysis.md](analysis.md)) |

Two quantities are called alpha: `tc_ratio` (article 1) is the peak of tensor cores over that of CUDA cores,
`fusion_redundancy` (article 2) the work of a fused stencil over that of its single steps. What lies outside a model's
range is refused (`nsightlens.errors.ModelError`, a `ValueError`).

```python
>>> from nsightlens.models import tensor_core
>>> round(tensor_core.bound(2), 4)                    # tensor cores twice as fast: at most a third
1.3333
>>> round(tensor_core.speedup(2, 20, overlap=0.5), 4)  # memory time 20 times compute time, half of it hidden
1.0123
```

**All numbers are ceilings from peaks, none is a measurement.** All speed-ups assume that the same bytes move, that
other time stays, and that both units do not work at once. x is a ratio of times: where not all work is multiply-adds,
divide the x of the intensity by `roofline.instruction_mix`.

"""


def page() -> str:
    """Return the page."""
    parts = (_speedups(), _scale(), _catalogue(), _predictions(), _counts())
    return HEAD + "\n".join(parts)


def _table(title: str, text: str, head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    head = list(head)
    lines = "".join(f"| {' | '.join(row)} |\n" for row in rows)
    return f"## {title}\n{text}\n| {' | '.join(head)} |\n|{'---|' * len(head)}\n{lines}"


def _speedups() -> str:
    loads = {
        "SCALE": scale_cost(1).intensity,
        "GEMV": gemv_limit(),
        "SpMV": spmv_csr_limit(),
    }
    rows = [
        [
            gpu,
            f"{g.balance:.4f}",
            f"{(ratio := tensor_core.peak_ratio(g.tensor, g.cuda)):.4f}",
            f"{tensor_core.bound(ratio):.6f}",
            *(f"{tensor_core.workload_bound(i, g.balance):.6f}" for i in loads.values()),
            *(f"{tensor_core.unoverlapped(ratio, g.balance / i):.6f}" for i in loads.values()),
        ]
        for gpu, g in GPUS.items()
    ]
    text = """
FP64. Balance in FLOP/byte of CUDA cores; then bounds of the speed-up: over all memory-bound kernels, of a
workload with tensor cores that take no time (∞), and with those of the GPU. Nothing overlaps; all work is
multiply-adds. A100 is the 80 GB one with the bandwidth that article 1 gives, 1.94 TB/s.
"""
    head = ("GPU", "balance", "`tc_ratio`", "any kernel", *(f"{load} ∞" for load in loads), *loads)
    return _table("What tensor cores can bring", text, head, rows)


def _scale() -> str:
    rows = [
        [
            gpu,
            f"{scale.useful_fraction(8, 4) * g.tensor / 1e12:.4f}",
            f"{scale.effective_ratio(g.tensor, g.cuda):.6f}",
            f"{scale.boundness(g.cuda, g.bandwidth):.2f}",
            f"{scale.worst_ratio(g.tensor, g.cuda, g.bandwidth):.6f}",
            f"{scale.worst_ratio(g.tensor, g.cuda, g.bandwidth, fma=True):.6f}",
        ]
        for gpu, g in GPUS.items()
    ]
    text = """
SCALE in FP64 with m8n8k4, of whose products one in eight is useful. The last two columns are the speed against
CUDA cores if nothing overlaps: with a multiplication in the slot of a multiply-add, as hardware has it, and
with the peak of multiply-adds, as article 1 counts. A larger slow-down comes from accesses or issue, not from
arithmetic.
"""
    head = ("GPU", "useful peak (TFLOP/s)", "`tc_ratio`", "x", "worst speed", "worst speed, FMA")
    return _table("SCALE on tensor cores", text, head, rows)


def _catalogue() -> str:
    text = """
2 FLOP a point, whatever the weights: equal ones can need fewer. Intensity of one step in FLOP/byte, each cell
read and written once. Threshold: fused steps at which FP64 on CUDA cores reaches the balance. EBISU: steps a tile
in its published configuration. 2d9pt is a box here; other suites call the star 2ds9pt so.
"""
    head = (
        *("name", "shape", "points", "FLOP", "FP64", "FP32", "FP16"),
        *(f"threshold {gpu}" for gpu in GPUS),
        "EBISU FP64 / FP32",
    )
    return _table("Stencils", text, head, (_stencil(stencil(name)) for name in names()))


def _stencil(one: Stencil) -> list[str]:
    intensities = [cost(one.taps, size).intensity for size in (8, 4, 2)]
    steps = " / ".join(str(count) for _, count in one.ebisu_steps) or "–"
    shape = "points" if one.points else one.shape
    return [
        *(one.name, f"{shape} {one.dimensions}D R{one.radius}", str(one.taps), str(one.flop)),
        *(f"{intensity:g}" for intensity in intensities),
        *(f"{threshold(gpu.balance, intensities[0]):.4f}" for gpu in GPUS.values()),
        steps,
    ]


def _predictions() -> str:
    text = """
FP64, in 10⁹ cell updates (base steps) per second, t steps per pass over device memory: the roofs of device
memory, of CUDA cores, and of tensor cores with the multiply-adds of the released codes; a code's speed is the
lower of memory and its own roof, the ratio that against CUDA cores. On an A100 ConvStencil is bound by tensor
cores on every shape; on GH200 and H200 both units wait for memory on all shapes of two dimensions.
"""
    head = (
        *("GPU", "stencil", "t", "FLOP/byte", "CUDA bound", "memory", "CUDA cores", "CUDA speed"),
        *("Conv roof", "Conv speed", "Conv ratio", "LoRA roof", "LoRA speed", "LoRA ratio"),
    )
    rows = [_prediction(gpu, name) for gpu in GPUS for name in KERNELS]
    return _table("Predicted stencil rates", text, head, rows)


def _prediction(gpu: str, name: str) -> list[str]:
    one, steps, g = stencil(name), KERNELS[name], GPUS[gpu]
    cuda = rate(g.cuda, g.bandwidth, one.taps, 8, steps)
    row = [gpu, name, str(steps), f"{cost(one.taps, 8, steps).intensity:.3f}", cuda.bound]
    row += [f"{value / 1e9:.3f}" for value in (cuda.memory_roof, cuda.compute_roof, cuda.updates_per_s)]
    for schemes in (CONV, LORA):
        if name not in schemes:
            row += ["–"] * 3
            continue
        executed = schemes[name].macs_per_update(steps) / one.taps
        tensor = rate(g.tensor, g.bandwidth, one.taps, 8, steps, executed)
        row += [f"{tensor.compute_roof / 1e9:.3f}", f"{tensor.updates_per_s / 1e9:.3f}"]
        row.append(f"{tensor.updates_per_s / cuda.updates_per_s:.3f}")
    return row


def _counts() -> str:
    text = """
Multiply-adds (MAC) of tensor cores per output cell and, with t fused steps, per cell update; inflation is the
latter over the stencil's points, redundancy of fusion included. Zeros of a sparse operand count; hardware
leaves out half of them (last column). `+` is work that CUDA cores add.
"""
    head = (
        *("scheme", "precision", "fits", "instructions / outputs", "MAC / output"),
        *("stencil", "t", "MAC / update", "inflation", "redundancy", "useful", "inflation, hardware"),
    )
    return _table("What published codes execute", text, head, (_count(*one) for one in COUNTED))


def _count(scheme: codes.Scheme, name: str, steps: int) -> list[str]:
    one = stencil(name)
    fused = one.fused_taps(steps)
    more = f" + {scheme.cuda_macs}" if scheme.cuda_macs else ""
    physical = scheme.physical_macs / steps / one.taps
    return [
        *(scheme.name, scheme.precision, scheme.fits, f"{scheme.instructions} / {scheme.outputs}"),
        *(f"{scheme.tensor_macs:g}{more}", name, str(steps), f"{scheme.macs_per_update(steps):.3f}"),
        f"{scheme.macs_per_update(steps) / one.taps:.6f}",
        f"{fusion_redundancy(fused, one.taps, steps):.6f}",
        f"{scheme.useful(fused):.6f}",
        f"{physical:.6f}" if scheme.sparse else "–",
    ]


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
