// SCALE, b = q * a in FP64: one 16-byte load and store per thread, the odd last element by itself.
// a and b stand on 16-byte boundaries.
extern "C" __global__ void scale(const double* __restrict__ a, double* __restrict__ b, double q, unsigned long long n)
{
    const unsigned long long pair = blockIdx.x * static_cast<unsigned long long>(blockDim.x) + threadIdx.x;
    const unsigned long long first = 2 * pair;
    if (first + 1 < n) {
        double2 v = reinterpret_cast<const double2*>(a)[pair];
        v.x *= q;
        v.y *= q;
        reinterpret_cast<double2*>(b)[pair] = v;
    } else if (first < n) {
        b[first] = q * a[first];
    }
}
