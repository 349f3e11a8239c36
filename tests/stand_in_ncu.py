"""A stand-in for ncu: takes its arguments, says what it says, leaves a recorded report, and fails on request.

Environment: ``STAND_IN`` names a scenario; ``STAND_IN_REPORT`` is the report (perhaps .xz) to leave, or one for each
of several runs, with the separator of PATH between them;
``STAND_IN_UNKNOWN`` lists counters that this ncu does not know; ``STAND_IN_ARGUMENTS`` is a file that gets the
arguments as JSON.
"""

import json
import lzma
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

FLAGS = {"--nvtx"}
START = "==PROF== Connected to process 4242 (/usr/bin/python3.12)"
END = "==PROF== Disconnected from process 4242"
NOTHING = "==WARNING== No kernels were profiled."
NAME = "sca\x1b[31mle"
KILLED = "==ERROR== The application returned an error code (9)."

# Scenario: messages, exit code, launches profiled before (a report is left if there are any).
FAILURES = {
    "permission": (
        [
            "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance Counters.",
            KILLED,
            NOTHING,
        ],
        1,
        0,
    ),
    "counters_taken": (
        [
            "==ERROR== An error was reported by the driver:",
            "==ERROR== Profiling failed because a driver resource was unavailable. Ensure no other tool is active.",
            NOTHING,
        ],
        9,
        0,
    ),
    "driver": (
        [
            "==ERROR== Cuda driver is not compatible with Nsight Compute.",
            "==WARNING== Failed to load Nsight Compute CUDA modules.",
            NOTHING,
        ],
        1,
        0,
    ),
    "library": (
        [
            "==ERROR== An error was reported by the counter measurement library:",
            "==ERROR== Failed to initialize the profiler: LibraryNotLoaded. Check that a compatible driver is loaded.",
            KILLED,
        ],
        1,
        0,
    ),
    "no_device": (["==ERROR== No CUDA devices found or GPU is unavailable.", NOTHING], 1, 0),
    "unsupported": (
        ["==ERROR== Profiling is not supported on device 0. To find out supported GPUs refer --list-chips option."],
        0,
        0,
    ),
    "option": (["==ERROR== unrecognised option '--import-sass'. Use --help for further details."], 1, 0),
    "set": (["==ERROR== Failed to find section set: loses"], 1, 0),
    "range_replay": (
        ["==ERROR== Metric smsp__sass_thread_inst_executed_op_dfma_pred_on is not supported in range replay."],
        1,
        0,
    ),
    "lock": (
        ["==ERROR== Failed to open/create lock file /tmp/nsight-compute-lock. Please check that this process may."],
        1,
        0,
    ),
    "disk": (
        ["==ERROR== Unable to write to file x.ncu-rep. Please verify it is not locked."],
        1,
        0,
    ),
    "exists": (["==ERROR== The file '/x.ncu-rep' already exists. Use -f to overwrite it."], 1, 0),
    "memory": (["==ERROR== Failed to save memory for replay. Consider using --replay-mode application"], 1, 0),
    "prepare": (
        [
            "==ERROR== Failed to prepare kernel for profiling",
            "==ERROR== Unknown Error on device 0.",
            '==ERROR== Failed to profile "const:" in process 4242',
            KILLED,
        ],
        1,
        0,
    ),
    "unknown_device_error": (["==ERROR== Unknown Error on device 0.", NOTHING], 1, 0),
    "launch_failed": (["==ERROR== LaunchFailed", f'==ERROR== Failed to profile "{NAME}" in process 4242'], 1, 2),
    "program_failed": (["==ERROR== The application returned an error code (3)."], 3, 2),
    "program_crashed": (["==ERROR== The application returned an error code (11).", NOTHING], 11, 0),
    "nothing": ([NOTHING], 0, 0),
    "filtered": ([NOTHING, "Available Kernels:", f"1. {NAME}", "2. fma_chain<8>"], 0, 0),
    "only_communication": ([NOTHING, "Available Kernels:", "1. ncclDevKernel_AllReduce_Sum_f32_RING_LL"], 0, 0),
    "unheard_of": (["==ERROR== The flux \x1b[2Jcapacitor is empty."], 1, 0),
    "silent": ([], 7, 0),
}


def main() -> int:
    """Do what ncu would."""
    if "--version" in sys.argv:
        sys.stdout.write("NVIDIA (R) Nsight Compute Command Line Profiler\nVersion 2025.3.1.0 (build 36398880)\n")
        return 0
    options, program = split(sys.argv[1:])
    if "STAND_IN_ARGUMENTS" in os.environ:
        Path(os.environ["STAND_IN_ARGUMENTS"]).write_text(json.dumps(sys.argv[1:]), encoding="utf-8")
    with Path(options["--log-file"]).open("w", encoding="utf-8", buffering=1) as log:
        if options.get("--set") == "nosuch":
            print("==WARNING== No metrics to collect found in sections.", file=log)
        print(START, file=log)
        return play(os.environ.get("STAND_IN", ""), options, program, log)


def split(arguments):
    options = {}
    while arguments and arguments[0].startswith("--"):
        name = arguments.pop(0)
        options[name] = "" if name in FLAGS else arguments.pop(0)
    return options, arguments


def play(scenario, options, program, log):
    for metric in options.get("--metrics", "").split(","):
        if metric in os.environ.get("STAND_IN_UNKNOWN", "").split():
            base = metric.removeprefix("regex:").removeprefix("^")
            print(f"==ERROR== Failed to find metric regex:^{base}\\.(sum|min|max|avg|pct|ratio|max_rate)$", file=log)
            return 1
    if scenario in {"sleep", "stubborn"}:
        return sleep(options, log, stubborn=scenario == "stubborn")
    if scenario == "killed":
        print(f'==PROF== Profiling "{NAME}" - 0: 0%....50%....100% - 17 passes', file=log)
        os.kill(os.getpid(), signal.SIGKILL)
    messages, code, launches = FAILURES.get(scenario, ([], 0, 3))
    if not scenario:
        code = subprocess.run(program, check=False).returncode
        messages = [f"==ERROR== The application returned an error code ({code})."] if code else []
    profile(launches, options, log)
    print(END, *messages, sep="\n", file=log)
    return code


def profile(launches, options, log):
    for number in range(launches):
        print(f'==PROF== Profiling "{NAME}" - {number}: 0%', end="", file=log)
        log.flush()
        print("....50%....100% - 17 passes", file=log)
    if launches:
        leave_report(options)


def leave_report(options):
    target = Path(options["--export"].replace("%%", "%"))
    if target.exists():
        raise SystemExit("the report exists")
    sources = os.environ.get("STAND_IN_REPORT", "").split(os.pathsep)
    run = re.search(r"-(\d+)\.ncu-rep$", target.name)
    source = sources[int(run[1]) - 1 if run and len(sources) > 1 else 0] or None
    data = b"report" if source is None else Path(source).read_bytes()
    target.write_bytes(lzma.decompress(data) if source is not None and source.endswith(".xz") else data)


def sleep(options, log, *, stubborn):
    def stop(_number, _frame):
        if not stubborn:
            print(f'==PROF== Received signal\n==ERROR== Failed to profile "{NAME}" in process 4242', file=log)
            leave_report(options)
            sys.exit(1)

    signal.signal(signal.SIGINT, stop)
    for number in range(2):
        print(f'==PROF== Profiling "{NAME}" - {number}: 0%....50%....100% - 17 passes', file=log)
    print(f'==PROF== Profiling "{NAME}" - 2: 0%....', end="", file=log)
    log.flush()
    sys.stderr.write("profiling\n")
    sys.stderr.flush()
    time.sleep(60)
    return 0


if __name__ == "__main__":
    sys.exit(main())
