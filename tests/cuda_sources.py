"""Compile CUDA sources without a GPU: by nvcc where it is installed, else by NVRTC from its wheel."""

import ctypes
import importlib.util
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

NVCC = shutil.which("nvcc")


@cache
def nvrtc():
    """Return the library of the wheel nvidia-cuda-nvrtc, or None."""
    found = importlib.util.find_spec("nvidia")
    for folder in found.submodule_search_locations if found else ():
        for path in sorted(Path(folder).glob("**/libnvrtc.so*")):
            return ctypes.CDLL(str(path))
    return None


def disassembler():
    """Return the path of nvdisasm, of the toolkit or of the wheel nvidia-cuda-nvdisasm, or None."""
    spec = importlib.util.find_spec("nvidia")
    found = [path for folder in (spec.submodule_search_locations if spec else ()) for path in _nvdisasm(folder)]
    return shutil.which("nvdisasm") or next(iter(found), None)


def _nvdisasm(folder):
    return map(str, sorted(Path(folder).glob("**/bin/nvdisasm")))


def longest_loop(work, arch, folder):
    """Return the instructions, such as ``DFMA R6, R2, R6, R4``, of the longest loop on ``arch``; needs nvcc."""
    assert compile_source(work, arch, folder) == ""
    command = [disassembler(), "-c", folder / "cubin"]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return max(_loops(text.splitlines()), key=len, default=[])


def _loops(lines):
    """Yield the instructions from each label to each jump back to it."""
    labels, found = {}, []
    for line in lines:
        if label := re.match(r"(\.L\w+):", line):
            labels[label[1]] = len(found)
        elif instruction := re.match(r"\s+/\*[0-9a-f]{4,}\*/\s+(?:@\S+\s+)?([A-Z].*?)\s*;", line):
            found.append(instruction[1])
            jump = re.search(r"BRA.*`\((\.L\w+)\)", line)
            if jump and jump[1] in labels:
                yield found[labels[jump[1]] :]


def compiler():
    """Return the name of what can compile here, or None."""
    return "nvcc" if NVCC else "nvrtc" if nvrtc() is not None else None


def compile_source(work, arch, folder):
    """Compile a workload for ``arch``, such as ``sm_90``; return what went wrong, or nothing."""
    entry = f"\nvoid* instance = (void*)&{work.entry};\n" if "<" in work.entry else ""
    if NVCC:
        return _nvcc(work, arch, folder, entry)
    return _nvrtc(work, arch)


def _nvcc(work, arch, folder, entry):
    source = folder / work.source.replace("/", "_")
    source.write_text(work.code + entry)
    defines = [f"-D{name}={value}" for name, value in work.defines.items()]
    command = [NVCC, "-std=c++17", f"-arch={arch}", *defines, "-Werror=all-warnings", "-cubin", "-o", folder / "cubin"]
    done = subprocess.run([*command, source], capture_output=True, text=True, check=False)
    return done.stdout + done.stderr if done.returncode else ""


def _nvrtc(work, arch):
    library, program = nvrtc(), ctypes.c_void_p()
    options = [option.encode() for option in (*work.options, f"--gpu-architecture={arch}")]
    library.nvrtcCreateProgram(ctypes.byref(program), work.code.encode(), b"k.cu", 0, None, None)
    if "<" in work.entry:
        library.nvrtcAddNameExpression(program, work.entry.encode())
    failed = library.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options))
    size = ctypes.c_size_t()
    library.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    text = ctypes.create_string_buffer(size.value)
    library.nvrtcGetProgramLog(program, text)
    return text.value.decode() if failed else ""
