"""Print every number in a report as JSON, with NVIDIA's reader alone: no code of nsightlens takes part.

Run as a script, in a process of its own: the native library frees nothing and can abort.
"""

import json
import lzma
import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import ncu_report


def main(path):
    with TemporaryDirectory() as folder:
        plain = Path(folder, "report.ncu-rep")
        plain.write_bytes(lzma.decompress(path.read_bytes()) if path.suffix == ".xz" else path.read_bytes())
        context = ncu_report.load_report(str(plain))
        groups = [context.range_by_idx(number) for number in range(context.num_ranges())]
        found = [launch(group.action_by_idx(index)) for group in groups for index in range(group.num_actions())]
    json.dump(found, sys.stdout)
    sys.stdout.flush()
    os._exit(0)


def launch(action):
    numbers = {name: action.metric_by_name(name).value() for name in action.metric_names()}
    return {
        "name": action.name(),
        "type": action.workload_type(),
        "depth": nesting(action.nvtx_state()),
        "counters": {name: value for name, value in numbers.items() if not isinstance(value, str)},
    }


def nesting(state):
    if not state:
        return 0
    return max((len(state.domain_by_id(number).push_pop_ranges()) for number in state.domains()), default=0)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
