"""CUDA kernels, their catalogue, and the programs that launch them."""
