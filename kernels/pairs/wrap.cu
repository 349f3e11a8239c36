// Columns of an image that wraps around, FP32: out[y][x] = a[y][x] + sum over `taps` of a[y][(x + k) mod width].
// MODULO 1: by the remainder of a division; 0: by a mask, for the width is a power of two (a value of run time in both).
extern "C" __global__ void wrap(
    const float* __restrict__ a, float* __restrict__ out, unsigned int width, unsigned int mask, unsigned int taps, unsigned int n)
{
    const unsigned int stride = gridDim.x * blockDim.x;
#pragma unroll 1
    for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        const unsigned int x = i & mask, row = i - x;
        float sum = a[i];
#pragma unroll 4
        for (unsigned int k = 1; k <= taps; ++k) {
#if MODULO
            const unsigned int column = (x + k) % width;
#else
            const unsigned int column = (x + k) & mask;
#endif
            sum += a[row + column];
        }
        out[i] = sum;
    }
}
