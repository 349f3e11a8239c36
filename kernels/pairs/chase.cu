// A thread sums `loads` FP32 values. CHAIN 1: where the next lies depends on the one before (by a product with 0 that only
// the host knows), so that one load at a time is under way; 0: addresses are known, eight at a time.
extern "C" __global__ void chase(const float* __restrict__ a, float* __restrict__ out, unsigned int loads, float zero)
{
    const unsigned int threads = gridDim.x * blockDim.x, thread = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    unsigned int offset = 0;
#pragma unroll 8
    for (unsigned int load = 0; load < loads; ++load) {
        const float v = __ldcg(a + static_cast<unsigned long long>(load % ROWS) * threads + thread + offset);
        sum += v;
#if CHAIN
        offset = static_cast<unsigned int>(v * zero);
#endif
    }
    out[thread] = sum;
}
