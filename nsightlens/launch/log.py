"""Follow the messages that ncu writes while it profiles."""

import codecs
import re
from dataclasses import dataclass, field
from pathlib import Path

_PROFILING = re.compile(r"^==PROF== Profiling (?P<rest>.*)")
_QUOTED = re.compile(r'"(?P<name>.*)"(?P<tail>.*)')
_DONE = re.compile(r"100%|\d+ pass")
# Memory stays bounded whatever a program with a million launches makes ncu say.
MAX_MESSAGES = 10_000


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is; ``current`` is the name of the launch under way, from the program: untrusted text."""

    launches: int
    current: str | None
    elapsed_s: float


@dataclass(slots=True)
class Log:
    """What ncu has said so far."""

    path: Path
    launches: int = 0
    current: str | None = None
    messages: list[str] = field(default_factory=list)
    _position: int = 0
    _decoder: codecs.IncrementalDecoder = field(
        default_factory=lambda: codecs.getincrementaldecoder("utf-8")("replace")
    )
    _partial: str = ""

    def read(self) -> None:
        """Take in what was written since the last call."""
        try:
            with self.path.open("rb") as file:
                file.seek(self._position)
                data = file.read()
        except OSError:  # not there yet, or no longer: messages are worth less than the run
            return
        self._position += len(data)
        *lines, self._partial = (self._partial + self._decoder.decode(data)).split("\n")
        for line in lines:
            self._take(line.rstrip("\r"))
        self._look_at_unfinished_line()

    def close(self) -> None:
        """Take in the rest of the file."""
        self.read()
        self._take(self._partial)
        self._partial = ""

    def _take(self, line: str) -> None:
        match = _PROFILING.match(line)
        if match is None:
            if line.strip() and len(self.messages) < MAX_MESSAGES:
                self.messages.append(line)
            return
        self.current, tail = _name_and_tail(match["rest"])
        self.launches += bool(_DONE.search(tail))
        if "==" in tail:
            self.messages.append(tail[tail.index("==") :])

    def _look_at_unfinished_line(self) -> None:
        match = _PROFILING.match(self._partial)
        if match is not None:
            self.current = _name_and_tail(match["rest"])[0]


def _name_and_tail(rest: str) -> tuple[str, str]:
    match = _QUOTED.match(rest)
    if match is not None:
        return match["name"], match["tail"]
    name, _, tail = rest.partition(": ")
    return name, tail
