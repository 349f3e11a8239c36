// SCALE with the same work as scale.cu, but neighbouring threads touch elements `stride` apart: of each 32-byte sector
// that a warp moves it uses 8 bytes (stride >= 4). gridDim.y == stride; gridDim.x covers ceil(n / stride) rows.
extern "C" __global__ void scale_strided(
    const double* __restrict__ a, double* __restrict__ b, double q, unsigned long long n, unsigned int stride)
{
    const unsigned long long row = blockIdx.x * static_cast<unsigned long long>(blockDim.x) + threadIdx.x;
    const unsigned long long i = row * stride + blockIdx.y;
    if (i < n) {
        b[i] = q * a[i];
    }
}
