// x = x / d + c again and again, FP64, d known at run time. DIVIDE 1: by a division; 0: by a product with 1 / d.
extern "C" __global__ void divide(
    const double* __restrict__ a, double* __restrict__ out, double d, double c, unsigned int steps, unsigned int n)
{
    const unsigned int stride = gridDim.x * blockDim.x;
    const double inverse = 1.0 / d;
#pragma unroll 1
    for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        double x = a[i];
#pragma unroll 1
        for (unsigned int step = 0; step < steps; ++step) {
#if DIVIDE
            x = x / d + c;
#else
            x = x * inverse + c;
#endif
            x = fma(x, inverse, c);
            x = fma(x, inverse, c);
            x = fma(x, inverse, c);
        }
        out[i] = x;
    }
}
