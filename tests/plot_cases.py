"""Launches made up for the tests of figures."""

import itertools
from dataclasses import replace

from nsightlens.analysis.result import (
    Analysis,
    Ceiling,
    Context,
    Declared,
    InstructionPoint,
    InstructionRoofline,
    LaunchResult,
    Overlap,
    ReportInfo,
    Roofline,
    RooflinePoint,
    TensorCore,
    Traffic,
    Utilisation,
    Work,
)

H200 = {
    "dram_bytes_per_s": 4.8e12,
    "fp64_flop_per_s": 33.5e12,
    "fp32_flop_per_s": 66.9e12,
    "fp16_flop_per_s": 133.8e12,
    "tensor_fp64_flop_per_s": 66.9e12,
    "tensor_tf32_flop_per_s": 494.7e12,
    "tensor_fp16_flop_per_s": 989.4e12,
    "tensor_bf16_flop_per_s": 989.4e12,
}
A100 = {
    "dram_bytes_per_s": 2.04e12,
    "fp64_flop_per_s": 9.7e12,
    "fp32_flop_per_s": 19.5e12,
    "tensor_fp64_flop_per_s": 19.5e12,
    "tensor_tf32_flop_per_s": 156e12,
}


def launch(number, name, x, y, pipe="fp64", time_s=1e-3, gpu="NVIDIA H200", **more):
    """Return a launch at ``x`` FLOP/byte and ``y`` FLOP/s."""
    peaks = A100 if gpu and "A100" in gpu else H200
    roof = min(peaks["dram_bytes_per_s"] * (x or 0), peaks[f"{pipe}_flop_per_s"])
    roofline = Roofline(
        bound=more.pop("bound", "memory"),
        level="dram",
        pipe=pipe,
        intensity_flop_per_byte=x,
        performance_flop_per_s=y,
        attainable_flop_per_s=roof,
        roof_fraction=y / roof if y and roof else None,
    )
    flop = y * time_s if y and time_s else None
    made = LaunchResult(
        report=0,
        launch=number,
        kind="kernel",
        status="ok",
        process_id=1,
        name=name,
        full_name=name,
        nvtx=(),
        gpu=gpu,
        grid=(1, 1, 1),
        block=(128, 1, 1),
        time_s=time_s,
        context=Context(),
        utilisation=Utilisation(),
        work=Work(fp64_flop=flop),
        traffic_bytes=Traffic(dram=flop / x if flop and x else None),
        declared=Declared(),
        ceilings={key: Ceiling(value, "spec") for key, value in peaks.items()},
        roofline=roofline,
        overlap=Overlap(),
        ideal_s=None,
        losses=None,
        unexplained_s=None,
        tensor_core=TensorCore(),
        values={},
        missing=(),
        remedy=None,
    )
    return replace(made, **more)


def analysis(launches, reports=1):
    """Return an analysis of ``launches``."""
    infos = tuple(ReportInfo(f"run{i}.ncu-rep", "ncu-rep", complete=True) for i in range(reports))
    return Analysis(infos, tuple(launches))


def one():
    """Return one memory-bound launch."""
    return analysis([launch(0, "scale", 0.0625, 2.5e11)])


def seven():
    """Return the kernels of a small study, two of them on the tensor cores."""
    return analysis(
        [
            launch(0, "scale", 0.0625, 2.5e11, time_s=2.7e-4, nvtx=("/stream/fp64",)),
            launch(1, "stream_triad", 0.083, 3.4e11, time_s=3.9e-4),
            launch(2, "spmv_csr<double, int>", 0.16, 4.1e11, time_s=9.1e-4, bound="latency"),
            launch(3, "stencil_2d5pt", 0.52, 1.9e12, time_s=4.0e-4),
            launch(4, "stencil_tensor", 0.52, 2.1e12, "tensor_fp64", time_s=3.7e-4),
            launch(5, "dgemm_cuda_cores", 170, 2.9e13, time_s=3.1e-3, bound="compute"),
            launch(6, "cutlass::gemm::device::GemmUniversal", 170, 5.8e13, "tensor_fp64", 1.6e-3, bound="compute"),
        ]
    )


def sixty(count=60):
    """Return launches of twenty kernels, three times over, each time a little different."""
    names = (
        "scale",
        "triad",
        "spmv_csr<double>",
        "stencil_step",
        "dgemm",
        "reduce_final",
        "attention_forward",
    )
    made = []
    for i in range(count):
        kernel, turn = i % 20, i // 20
        x = 0.05 * 1.55**kernel * (1 + 0.01 * turn)
        share = 0.25 + 0.7 * ((kernel * 7919) % 97) / 97
        y = share * min(4.8e12 * x, 33.5e12)
        bound = "compute" if x > 7 else "latency" if share < 0.4 else "memory"
        time_s = 1e-5 * (1 + (i * 104729) % 500)
        made.append(launch(i, names[i % 7], x, y, time_s=time_s, bound=bound))
    return analysis(made)


def sixty_identical(names=("scale",)):
    """Return sixty launches on the very same spot."""
    return analysis(launch(i, name, 0.0625, 2.5e11) for i, name in zip(range(60), itertools.cycle(names)))


def two_gpus():
    """Return launches on two GPUs."""
    first = [launch(i, f"step{i}", 0.1 * 4**i, 1.2e11 * 4**i) for i in range(3)]
    second = [launch(3 + i, f"step{i}", 0.1 * 4**i, 2e11 * 4**i, gpu="NVIDIA A100-SXM4-80GB") for i in range(3)]
    return analysis(first + second)


def scattered(count=60, wide=1.0):
    """Return launches at as many spots, of kernels with long names."""
    made = []
    for i in range(count):
        x = 0.02 * 10 ** (4 * wide * ((i * 37) % count) / count)
        y = (0.15 + 0.8 * ((i * 7919) % 101) / 101) * min(4.8e12 * x, 33.5e12)
        name = f"void at::native::elementwise_kernel<{i}, at::native::FillFunctor<double>>(int)"
        made.append(
            launch(i, name, x, y, time_s=1e-6 * (1 + (i * 104729) % 997), bound="compute" if x > 7 else "memory")
        )
    return analysis(made)


HOSTILE = (
    r"$\frac{1}{",
    "$x$",
    "\x1b[31mred\x1b[0m",
    "two\nlines\r\n",
    "\u202egnp.exe",
    "\ud800 lone surrogate",
    "中文内核",
    "🚀 launch",
    "",
    " \t ",
    "<script>alert('&')</script>]]>",
    "W" * 100_000,
)


def hostile(repeat=1):
    """Return launches whose names and ranges were chosen by an enemy."""
    made = []
    for i in range(repeat * len(HOSTILE)):
        name = HOSTILE[i % len(HOSTILE)]
        x = 0.05 * 1.7 ** (i % 12)
        made.append(launch(i, name, x, 0.5 * min(4.8e12 * x, 33.5e12), nvtx=(f"/{HOSTILE[(i + 5) % 12]}",)))
    return analysis(made)


def long_names():
    """Return as many launches as are still named in the axes, with the longest labels."""
    names = (f"{'W' * 30}{i}" for i in range(12))
    return analysis(
        launch(i, name, 0.1 * 1.2**i, 2e11 * 1.2**i, nvtx=(f"/{'M' * 30}",), time_s=1e-3 * (12 - i))
        for i, name in enumerate(names)
    )


def every_pipe():
    """Return launches on every pipe of two GPUs, whose roofs stand close together."""
    pipes = [key.removesuffix("_flop_per_s") for key in H200 if key.endswith("flop_per_s")]
    first = [launch(i, f"on_{pipe}", 1.0 + i, 1e12 * (1 + i), pipe) for i, pipe in enumerate(pipes)]
    return analysis(first + [replace(one, launch=one.launch + 20, gpu="NVIDIA H100") for one in first])


CACHES = {"l2_bytes_per_s": 10.4e12, "l1_bytes_per_s": 33e12, "issue_inst_per_s": 1.04e12}


def hierarchical(number, name, intensities, y, level, pipe="fp64", **more):
    """Return a launch at ``intensities`` (level to FLOP/byte) held against ``level``; a tenth as many instructions."""
    made = launch(number, name, intensities[level], y, pipe, **more)
    ceilings = made.ceilings | {key: Ceiling(value, "report") for key, value in CACHES.items()}
    rate = {at: ceilings[f"{at}_bytes_per_s"].value for at in intensities}
    points = tuple(
        RooflinePoint(at, pipe, x, y, min(x * rate[at], ceilings[f"{pipe}_flop_per_s"].value))
        for at, x in intensities.items()
    )
    counted = tuple(
        InstructionPoint(at, x / 10, y / 10, min(x / 10 * rate[at], CACHES["issue_inst_per_s"]))
        for at, x in intensities.items()
    )
    main = next(point for point in counted if point.level == level)
    instructions = InstructionRoofline(
        main.intensity_inst_per_byte,
        y / 10,
        main.attainable_inst_per_s,
        y / 10 / main.attainable_inst_per_s,
        1.0,
        counted,
    )
    return replace(
        made,
        ceilings=ceilings,
        roofline=replace(made.roofline, level=level, points=points, instructions=instructions),
        traffic_bytes=Traffic(**{at: y * 1e-3 / x for at, x in intensities.items()}),
    )


def levels():
    """Return launches held against device memory, L2, L1 and a pipe, with their intensities at all levels."""
    return analysis(
        [
            hierarchical(0, "scale", {"dram": 0.0625, "l2": 0.045, "l1": 0.0625}, 2.5e11, "dram"),
            hierarchical(1, "columns", {"dram": 12.0, "l2": 0.13, "l1": 0.13}, 1.0e12, "l2", time_s=2e-3),
            hierarchical(2, "reuse", {"dram": 40.0, "l2": 9.0, "l1": 0.21}, 5e12, "l1"),
            hierarchical(3, "dgemm", {"dram": 250.0, "l2": 13.0, "l1": 10.0}, 3.0e13, "l2", bound="compute"),
        ]
    )


def without_flop():
    """Return launches that move and count but do no floating-point work."""
    return analysis(
        replace(
            one,
            work=Work(0.0, 0.0, 0.0),
            roofline=replace(
                one.roofline,
                pipe=None,
                intensity_flop_per_byte=None,
                performance_flop_per_s=None,
                attainable_flop_per_s=None,
                roof_fraction=None,
                points=(),
            ),
        )
        for one in levels().launches
    )
