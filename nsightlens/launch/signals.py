"""Signals that come while ncu runs: acted on when that loses nothing, and kept until then."""

import contextlib
import signal
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import FrameType

PATIENCE_S = 2.0
"""A Ctrl-C sooner after the one before is no impatience: terminals and wrappers send several."""


class Told(KeyboardInterrupt):
    """A signal that came to this process alone, not to the terminal's whole group; its argument is the number."""


@dataclass(slots=True)
class Signals:
    """While ``open`` a signal raises; else it waits in ``waiting``. ``interrupts`` are the times of every SIGINT."""

    open: bool = False
    waiting: KeyboardInterrupt | None = None
    interrupts: list[float] = field(default_factory=list)

    def take(self, number: int, _frame: FrameType | None) -> None:
        """Take a signal."""
        what = KeyboardInterrupt() if number == signal.SIGINT else Told(number)
        if number == signal.SIGINT:
            self.interrupts.append(time.monotonic())
        if self.open:
            self.open = False  # one is enough: the next ones must not break off what this one begins
            raise what
        self.waiting = self.waiting or what

    def let_in(self) -> None:
        """Let signals raise from now on, and the one that waits at once."""
        self.open = True
        if self.waiting is not None:
            what, self.waiting, self.open = self.waiting, None, False
            raise what

    def shut(self) -> None:
        """Let signals wait from now on."""
        self.open = False

    def impatient(self, since: float) -> bool:
        """Tell whether a Ctrl-C came so long after ``since`` (of ``time.monotonic``) that it means: at once."""
        return any(at > since + PATIENCE_S for at in self.interrupts)


@contextlib.contextmanager
def held() -> Iterator[Signals]:
    """Keep SIGINT, SIGTERM and SIGHUP from breaking off what is under way, but in the main thread only."""
    signals = Signals()
    if threading.current_thread() is not threading.main_thread():
        yield signals
        return
    numbers = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = {number: signal.getsignal(number) for number in numbers}
    ours = {number: handler for number, handler in before.items() if handler is not signal.SIG_IGN}
    for number in ours:
        signal.signal(number, signals.take)
    try:
        yield signals
    finally:
        for number, handler in ours.items():
            signal.signal(number, handler)
