// FP64 chains whose lengths the host deals out: part p of a block's list takes `lengths[p]` steps; a thread works on its own
// value all along. The list of block b is parts[starts[b]] ... parts[starts[b + 1] - 1].
extern "C" __global__ void parts(const double* __restrict__ a, double* __restrict__ out, const unsigned int* __restrict__ starts,
    const unsigned int* __restrict__ lengths, double m, double c)
{
    double total = 0;
#pragma unroll 1
    for (unsigned int part = starts[blockIdx.x]; part < starts[blockIdx.x + 1]; ++part) {
        double x = a[threadIdx.x];
        const unsigned int length = lengths[part];
#pragma unroll 1
        for (unsigned int step = 0; step < length; ++step) {
            x = fma(fma(fma(fma(x, m, c), m, c), m, c), m, c);
        }
        total += x;
    }
    atomicAdd(out + threadIdx.x, total);
}
