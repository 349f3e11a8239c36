"""ncu's and nvprof's own messages between the rows: what went wrong, and how many launches were announced."""

import re
from dataclasses import dataclass, field

_MESSAGE = re.compile(r"==(PROF|WARNING|ERROR|\d+|====)==\s?(.*)")
_COMMAND = re.compile(r"NVPROF is profiling process (\d+), command: (.*\S)")
_AVAILABLE = re.compile(r"\s*\d+\. (.*\S)")
_MAX_KEPT = 5
_MAX_TEXT = 200
_AGAIN = "profile again: nsightlens profile -- CMD"

# Causes stand above their consequences.
_REMEDIES = (
    (
        "NVGPUCTRPERM",
        "run as root, or let the administrator of the host load the driver with NVreg_RestrictProfilingToAdminUsers=0",
    ),
    ("not supported on", "take a version of Nsight Compute that knows this GPU: ncu --list-chips"),
    ("driver resource was unavailable", "stop the other profiler; NVIDIA DCGM pauses with: dcgmi profile --pause"),
    (
        "No kernels were profiled",
        "check that the program launches kernels and that --kernel-name or --nvtx-include match",
    ),
)


@dataclass(slots=True)
class Log:
    """Messages seen so far."""

    errors: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    available: list[str] = field(default_factory=list)
    announced: int = 0
    messages: int = 0
    command_line: str | None = None
    process_id: int | None = None
    nvprof: bool = False
    report: str | None = None

    def feed(self, line: str) -> bool:
        """Take one line into account and return whether it is a message, not data."""
        match = _MESSAGE.search(line) if "==" in line else None
        if match is None:
            self._offer(line)
            return False
        self.messages += 1
        kind, text = match[1], match[2].strip()[:_MAX_TEXT]
        self.nvprof |= kind.isdigit()
        if kind == "ERROR" or (kind.isdigit() and text.startswith("Error:")):
            _keep(self.errors, text.removeprefix("Error: "))
        elif kind == "WARNING":
            _keep(self.warnings, text)
        elif kind == "PROF":
            self.announced += text.startswith('Profiling "')
            self.report = text.removeprefix("Report: ") if text.startswith("Report: ") else self.report
        else:
            self._nvprof(match[2])
        return True

    def _nvprof(self, text: str) -> None:
        self.nvprof = True  # messages from before the process is known have no number
        match = _COMMAND.search(text)
        if match and self.command_line is None:
            self.process_id, self.command_line = int(match[1]), match[2]

    def _offer(self, line: str) -> None:
        """Note the kernels that ncu lists after it found none of those asked for."""
        if self.warnings and "No kernels were profiled" in self.warnings[-1] and (match := _AVAILABLE.match(line)):
            _keep(self.available, match[1])

    def complaint(self) -> tuple[str, str] | None:
        """Return what ncu itself says is wrong, and what mends it; None if it says nothing of the kind."""
        nothing = [text for text in self.warnings if "No kernels were profiled" in text]
        if not self.errors and not nothing:
            return None
        said = "; ".join([*self.errors, *nothing])
        if self.available and nothing and not self.errors:
            said += f" The program launched: {', '.join(self.available)}"
        remedy = next((remedy for key, remedy in _REMEDIES if key in said), _AGAIN)
        return f"{'nvprof' if self.nvprof else 'ncu'} says: {said}", remedy


def _keep(texts: list[str], text: str) -> None:
    if text and text not in texts and len(texts) < _MAX_KEPT:
        texts.append(text)
