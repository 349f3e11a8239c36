// b = x after STEPS dependent FP64 steps x = x * m + c from x = a: work per element grows with STEPS, traffic does not.
// Two independent chains per thread, 16-byte loads and stores, the odd last element by itself; a and b stand on 16-byte
// boundaries.
template <int STEPS>
__global__ void fma_chain(const double* __restrict__ a, double* __restrict__ b, double m, double c, unsigned long long n)
{
    const unsigned long long pair = blockIdx.x * static_cast<unsigned long long>(blockDim.x) + threadIdx.x;
    const unsigned long long first = 2 * pair;
    if (first + 1 < n) {
        double2 v = reinterpret_cast<const double2*>(a)[pair];
#pragma unroll
        for (int step = 0; step < STEPS; ++step) {
            v.x = fma(v.x, m, c);
            v.y = fma(v.y, m, c);
        }
        reinterpret_cast<double2*>(b)[pair] = v;
    } else if (first < n) {
        double x = a[first];
#pragma unroll
        for (int step = 0; step < STEPS; ++step) {
            x = fma(x, m, c);
        }
        b[first] = x;
    }
}
