"""What an installation holds: every package that there is."""

import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_every_package_is_installed():
    setuptools = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]
    folders = {name: path.replace("/", ".") for name, path in setuptools["package-dir"].items()}
    listed = {folders.get(name, name) for name in setuptools["packages"]}
    there = {
        ".".join(path.parent.relative_to(ROOT).parts)
        for top in ("nsightlens", "collectors", "kernels")
        for path in (ROOT / top).rglob("__init__.py")
    }
    assert {name for name in there if not name.startswith(("nsightlens.collectors", "nsightlens.kernels"))} == listed


def test_every_kind_of_data_is_installed():
    given = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]["package-data"]
    shipped = {path for pattern in given["nsightlens.data"] for path in (ROOT / "nsightlens" / "data").glob(pattern)}
    there = {
        path
        for path in (ROOT / "nsightlens" / "data").rglob("*")
        if path.is_file() and path.suffix not in {".py", ".pyc"}
    }
    assert shipped == there
