"""The table of GPUs, and one GPU with the source of every number."""

from collections.abc import Iterator

from nsightlens.answers.answer import Answer, Column, Fact, Listing, Value
from nsightlens.gpus import Gpu, gpus
from nsightlens.measured import find_ceilings

_SHORT = (
    ("fp64_flop_per_s", "FP64"),
    ("tensor_fp64_flop_per_s", "t FP64"),
    ("fp32_flop_per_s", "FP32"),
    ("tensor_tf32_flop_per_s", "t TF32"),
    ("fp16_flop_per_s", "FP16"),
    ("tensor_fp16_flop_per_s", "t FP16"),
)
_OF_ALL = (
    Column("key", "GPU"),
    Column("compute_capability", "cc"),
    Column("sms", "SMs"),
    Column("dram_bytes_per_s", "memory", "byte/s", bare=3),
    *(Column(name, head, "FLOP/s", bare=3) for name, head in _SHORT),
)
_OF_ONE = (
    Column("name", "number"),
    Column("value", "value", bare=5),
    Column("unit", "unit"),
    Column("source", "source"),
    Column("uncertain", "uncertain", bare=1),
)
_SOURCES = (Column("source", "source"), Column("title", "document"), Column("address", "at"), Column("seen", "read at"))
_MEASURED = (Column("name", "ceiling"), Column("value", "value", bare=5), Column("unit", "unit"))
_UNITS = {"int8_flop_per_s": "op/s", "_flop_per_s": "FLOP/s", "_bytes_per_s": "byte/s", "_hz": "Hz", "_bytes": "byte"}


def gpus_answer() -> Answer:
    """Return the table."""
    return Answer(
        "gpus",
        "GPUs of the table",
        listings=(
            Listing(
                "gpus", "Memory in byte/s, dense peaks in FLOP/s (t: tensor cores)", _OF_ALL, tuple(map(_row, gpus()))
            ),
        ),
        cautions=(
            "A dash: the unit is not there, or no source was found.",
            "Peaks are the makers' figures; a report's own peaks and measured ceilings come before them.",
        ),
    )


def gpu_answer(gpu: Gpu) -> Answer:
    """Return one GPU: every number with its source, what is uncertain, and what was measured on this machine."""
    numbers = tuple(_numbers(gpu))
    cited = list(dict.fromkeys(name for name, _, _ in numbers))
    documents = list(dict.fromkeys(map(gpu.source_of, cited)))
    rows = tuple(
        (label, value, _unit(name), documents.index(gpu.source_of(name)) + 1, name in gpu.uncertain)
        for name, label, value in numbers
    )
    sources = tuple(
        (number, document.title, document.address, document.seen) for number, document in enumerate(documents, 1)
    )
    return Answer(
        "gpus",
        gpu.title,
        (
            Fact("key", "name for --gpu", gpu.key),
            Fact("names", "device names", ", ".join(gpu.names)),
            Fact("architecture", "architecture", gpu.architecture.title),
            Fact("compute_capability", "compute capability", gpu.architecture.compute_capability),
        ),
        listings=(
            Listing("numbers", "Numbers", _OF_ONE, rows),
            *_measured(gpu),
            Listing("sources", "Sources", _SOURCES, sources),
        ),
        cautions=(*gpu.notes, *_paths(gpu)),
    )


def _row(gpu: Gpu) -> tuple[Value, ...]:
    peaks = (gpu.peaks.get(name) for name, _ in _SHORT)
    return gpu.key, gpu.architecture.compute_capability, gpu.sms, gpu.peaks.get("dram_bytes_per_s"), *peaks


def _numbers(gpu: Gpu) -> Iterator[tuple[str, str, Value]]:
    """Yield name in the table of sources, name in the answer, and value of every number."""
    for name in ("sms", "clock_hz", "tensor_clock_hz", "memory_bytes", "l2_bytes"):
        if (value := getattr(gpu, name)) is not None:
            yield name, name, value
    yield from ((name, name, value) for name, value in gpu.peaks.items())
    yield from ((name, f"{name} (FP32 results)", value) for name, value in gpu.fp32_accumulate.items())
    yield from ((name, f"{name} (2:4 sparse)", value) for name, value in gpu.sparse.items())


def _unit(name: str) -> str:
    return next((unit for ending, unit in _UNITS.items() if name.endswith(ending)), "")


def _measured(gpu: Gpu) -> tuple[Listing, ...]:
    found = next(filter(None, map(find_ceilings, gpu.names)), None)
    if found is None:
        return ()
    rows = tuple((name, value, _unit(name)) for name, value in found.values.items())
    return (Listing("measured", "Measured ceilings", _MEASURED, rows),)


def _paths(gpu: Gpu) -> tuple[str, ...]:
    kind = gpu.architecture
    if not kind.slower:
        return ()
    return (
        (
            f"Tensor peaks other than FP64 are those of {kind.faster}; {', '.join(kind.slower)} reaches less."
            " How much is not in this table: it must be measured."
        ),
    )
