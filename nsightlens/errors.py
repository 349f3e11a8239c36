"""One family of errors: what is wrong, where, and the command that mends it."""

INSTALL_CUPY = 'pip install "nsightlens[cuda13]", or "nsightlens[cuda12]" for CUDA 12'
"""What mends a missing CuPy."""


class NsightlensError(Exception):
    """Base of every error that a user can mend.

    Parameters
    ----------
    message
        What is wrong, one sentence without a full stop.
    where
        The file, command or option concerned.
    remedy
        The command or action that mends it.
    """

    exit_code = 1

    def __init__(self, message: str, *, where: str = "", remedy: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.where = where
        self.remedy = remedy

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        remedy = f" ({self.remedy})" if self.remedy else ""
        return f"{place}{self.message}{remedy}"


class UsageError(NsightlensError):
    """The call cannot be carried out as given (exit code 2)."""

    exit_code = 2


class ModelError(UsageError, ValueError):
    """A model is asked outside the range in which it holds (exit code 2)."""


class ReportError(NsightlensError):
    """The file holds no usable data (exit code 3)."""

    exit_code = 3


class ProfilerError(NsightlensError):
    """The profiler or the profiled program failed (exit code 4)."""

    exit_code = 4
