"""What ncu says when it fails, what that means, and what mends it: one entry a cause."""

from dataclasses import dataclass

OTHER_NCU = "take another version of Nsight Compute with --ncu PATH"


@dataclass(frozen=True, slots=True)
class Failure:
    """A pattern in ncu's messages; ``{0}`` in the texts stands for its first group."""

    pattern: str
    message: str
    remedy: str


# The first that matches counts: causes stand above their consequences.
KNOWN = (
    Failure(
        r"ERR_NVGPUCTRPERM",
        "this user may not read the performance counters of the GPU (ERR_NVGPUCTRPERM)",
        "run as root, or let the administrator of the host load the driver with the option "
        "NVreg_RestrictProfilingToAdminUsers=0, or start the container with --cap-add=SYS_ADMIN; "
        "from inside a container it cannot be mended",
    ),
    Failure(
        r"driver resource was unavailable|ERR_PROFILER|already being (?:profiled|debugged)",
        "another tool uses the performance counters of the GPU",
        "stop the other profiler or debugger; NVIDIA DCGM pauses with: dcgmi profile --pause",
    ),
    Failure(
        r"[Cc]uda driver is not compatible with Nsight Compute|Failed to load Nsight Compute CUDA modules",
        "this Nsight Compute does not work with the installed GPU driver",
        f"update the driver, or {OTHER_NCU}",
    ),
    Failure(
        r"LibraryNotLoaded|failed to connect to the CUDA driver",
        "Nsight Compute cannot load the library of the GPU driver",
        "check that nvidia-smi works; start a container with --gpus all; "
        "keep CUDA's stubs folder out of LD_LIBRARY_PATH",
    ),
    Failure(
        r"(?i)no CUDA[- ](?:capable )?devices?|CUDA_ERROR_NO_DEVICE|No devices? (?:found|to profile)",
        "there is no CUDA device",
        "check nvidia-smi and CUDA_VISIBLE_DEVICES; to analyse a recorded report: nsightlens analyze REPORT",
    ),
    Failure(
        r"Profiling is not supported on (?:this )?device(?: (\d+))?",
        "this Nsight Compute cannot profile GPU {0}",
        f"ncu --list-chips names the GPUs it supports; {OTHER_NCU}",
    ),
    Failure(
        r"(?i)not supported (?:in|with|for) (?:range|app-range) replay",
        "a counter cannot be measured over ranges",
        "leave it out of --metrics, or take --replay-mode kernel",
    ),
    Failure(
        r"(?i)(?:no such|unknown|invalid|could not find|failed to find|cannot find) (?:section )?sets?\b[: ]*(.*)",
        "this Nsight Compute has no such set: {0}",
        "ncu --list-sets names its own; ours: {sets}",
    ),
    Failure(
        r"Failed to find metrics? (.+)|Failed to access the following \d+ metrics?: (.+)",
        "a counter is unknown to this Nsight Compute or this GPU: {0}",
        f"use --set overview, or {OTHER_NCU}",
    ),
    Failure(
        r"unrecogni[sz]ed option '([^']*)'|[Uu]nknown option '?([^' ]*)",
        "this Nsight Compute does not take the option {0}",
        OTHER_NCU,
    ),
    Failure(
        r"Failed to open/create lock file (\S+?)\.?(?:\s|$)",
        "the lock file of Nsight Compute cannot be written: {0}",
        "another user owns it: set TMPDIR to a folder of your own",
    ),
    Failure(
        r"No space left on device|Unable to write to file|Failed to (?:write|save) (?:the )?(?:rep|file)",
        "Nsight Compute cannot write its report",
        "make room on the disk, or write elsewhere with --report FILE",
    ),
    Failure(
        r"(?i)file (?:'?[^']*'? )?already exists|exists\b.*(?:--force-overwrite|\b-f\b)",
        "Nsight Compute found a report of that name",
        "choose another --report FILE, or --force",
    ),
    Failure(
        r"Failed to save memory for replay|ContextSaveFailed|Out ?[Oo]f ?[Mm]emory",
        "there is not enough memory to run a kernel several times",
        "profile a smaller problem, or stop other programs on this GPU",
    ),
    Failure(
        r"Failed to prepare kernel for profiling",
        "Nsight Compute could not prepare a kernel",
        f"end other profilers and debuggers; if it stays, {OTHER_NCU} that fits the program's CUDA version",
    ),
    Failure(
        r"Unknown ?[Ee]rror(?: on device (\d+))?",
        "the driver refused to profile with an unknown error",
        f"run as root, end other profilers, or {OTHER_NCU}",
    ),
    Failure(
        r"LaunchFailed|Failed to profile (?:kernel )?\"(.*)\" in process",
        "a kernel failed while it was profiled: {0}",
        "check it with: compute-sanitizer {command}",
    ),
)
