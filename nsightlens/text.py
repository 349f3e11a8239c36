"""Text from strangers (kernel names, ranges, paths) made safe to show."""

import unicodedata

ELLIPSIS = "…"


def printable(text: str, limit: int | None = None) -> str:
    r"""Return ``text`` with control, format and surrogate characters shown as ``\xNN`` or ``\uNNNN``.

    Parameters
    ----------
    text
        Any text, trusted or not.
    limit
        Longest result in characters; a longer one is shortened in the middle.
    """
    if not text.isascii() or not text.isprintable():
        text = "".join(map(_shown, text))
    return text if limit is None else shorten(text, limit)


def shorten(text: str, limit: int) -> str:
    """Return at most ``limit`` characters of ``text``, its start and its end."""
    if len(text) <= limit:
        return text
    head = limit // 2
    tail = limit - 1 - head
    return text[:head] + ELLIPSIS + (text[-tail:] if tail > 0 else "")


def count(number: int, noun: str) -> str:
    """Return a number and its noun, such as ``1 launch`` and ``2 launches``."""
    ending = "" if number == 1 else "es" if noun.endswith(("ch", "s")) else "s"
    return f"{number} {noun}{ending}"


def encodable(text: str) -> str:
    r"""Return ``text`` with lone surrogates, which UTF-8 cannot hold, shown as ``\uNNNN``."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def _shown(character: str) -> str:
    if unicodedata.category(character) not in {"Cc", "Cf", "Cs", "Zl", "Zp", "Co", "Cn"}:
        return character
    code = ord(character)
    if code < 0x100:  # noqa: PLR2004
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"  # noqa: PLR2004
