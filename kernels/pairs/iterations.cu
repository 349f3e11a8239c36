// Each element is iterated as often as `counts` says (FP64). How counts are arranged makes the lanes of a warp end together.
extern "C" __global__ void iterations(const double* __restrict__ a, const unsigned short* __restrict__ counts,
    double* __restrict__ out, double m, double c, unsigned int n)
{
    const unsigned int stride = gridDim.x * blockDim.x;
#pragma unroll 1
    for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        double x = a[i];
        const unsigned int count = counts[i];
#pragma unroll 1
        for (unsigned int turn = 0; turn < count; ++turn) {
            x = fma(fma(x, m, c), m, c);
            x = fma(fma(x, m, c), m, c);
        }
        out[i] = x;
    }
}
