"""The options of ncu that choose launches and how they are measured."""

from collections.abc import Sequence

from nsightlens.launch.nvtx_filter import nvtx_filter

COMMUNICATION = "ncclDevKernel|ncclKernel"
"""How the names of kernels begin that wait for their peers; one that is run again waits for ever."""


def select(
    *,
    kernel: str | None = None,
    nvtx: Sequence[str] = (),
    launch_skip: int | None = None,
    launch_count: int | None = None,
    communication: bool = True,
) -> tuple[str, ...]:
    """Return the options of ncu that profile only some of the launches.

    Parameters
    ----------
    kernel
        Regular expression that a part of the kernel's name matches.
    nvtx
        Ranges, see ``nsightlens.launch.nvtx_filter``.
    launch_skip, launch_count
        Number of matching launches to leave out first, and to profile then.
    communication
        Profile NCCL's kernels too. Each waits for its peers, so ncu hangs when it runs one again.
    """
    options: list[str] = []
    expression = _kernels(kernel, communication=communication)
    if expression is not None:
        options += ["--kernel-name", f"regex:{expression}"]
    for one in nvtx:
        options += ["--nvtx-include", nvtx_filter(one)]
    if launch_skip is not None:
        options += ["--launch-skip", str(launch_skip)]
    if launch_count is not None:
        options += ["--launch-count", str(launch_count)]
    return tuple(options)


def controls(
    *,
    target_processes: str | None = None,
    replay_mode: str | None = None,
    cache_control: str | None = None,
    clock_control: str | None = None,
) -> tuple[str, ...]:
    """Return the options of ncu that say how launches are measured; what is None keeps its default."""
    given = {
        "--target-processes": target_processes,
        "--replay-mode": replay_mode,
        "--cache-control": cache_control,
        "--clock-control": clock_control,
    }
    return tuple(word for option, value in given.items() if value is not None for word in (option, value))


def _kernels(kernel: str | None, *, communication: bool) -> str | None:
    if communication:
        return kernel
    return f"^(?!{COMMUNICATION})" + ("" if kernel is None else f".*(?:{kernel})")
