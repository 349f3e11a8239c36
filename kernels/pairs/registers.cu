// LIVE FP64 chains a thread, all alive at once. BLOCKS: blocks of 256 that the compiler must fit on a multiprocessor: 2
// leaves 128 registers, 4 leaves 64, so that chains spill. Shared memory holds both at two blocks.
extern "C" __global__ void __launch_bounds__(256, BLOCKS) registers(
    const double* __restrict__ a, double* __restrict__ out, double m, double c, unsigned int rounds)
{
    extern __shared__ char unused[];
    const unsigned int thread = blockIdx.x * blockDim.x + threadIdx.x;
    double x[LIVE];
#pragma unroll
    for (int i = 0; i < LIVE; ++i) {
        x[i] = a[thread] + i;
    }
#pragma unroll 1
    for (unsigned int round = 0; round < rounds; ++round) {
#pragma unroll
        for (int i = 0; i < LIVE; ++i) {
            x[i] = fma(x[i], m, c);
        }
    }
    double sum = 0;
#pragma unroll
    for (int i = 0; i < LIVE; ++i) {
        sum += x[i];
    }
    out[thread] = sum;
}
