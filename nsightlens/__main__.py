"""``python -m nsightlens``."""

from nsightlens.cli import main

main()
