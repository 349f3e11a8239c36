"""What memory levels and pipes are called in sentences and figures."""

LEVEL_NAMES = {"dram": "DRAM", "l2": "L2", "l1": "L1"}


def pipe_name(pipe: str) -> str:
    """Return ``tensor FP64`` for ``tensor_fp64``, ``tensor FP16 sparse`` for ``tensor_fp16_sparse``."""
    words = pipe.split("_")
    kinds = "/".join(word.upper() for word in words if word not in {"tensor", "sparse"})
    return f"{'tensor ' if 'tensor' in words else ''}{kinds}{' sparse' if 'sparse' in words else ''}"
