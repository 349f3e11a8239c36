"""Closed-form models: plain functions on numbers.

In docstrings, article 1 is "Can Tensor Cores Benefit Memory-Bound Kernels? (No!)" (arXiv 2502.16851), article 2 "Do We
Need Tensor Cores for Stencil Computations?" (arXiv 2603.00477). Both call something alpha: ``tc_ratio`` is the one of
article 1, ``fusion_redundancy`` that of article 2. docs/corrections.md tells where the articles are wrong.
"""
