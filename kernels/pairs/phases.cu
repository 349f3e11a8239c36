// Warps of a block do unequal shares of FP32 work in each phase; over all phases the shares are equal.
// BARRIER 1: a barrier after each phase that nothing needs; 0: none. LOADS: values read from L2 in a phase.
extern "C" __global__ void phases(const float* __restrict__ a, float* __restrict__ out, float m, float c, unsigned int phases)
{
    const unsigned int thread = blockIdx.x * blockDim.x + threadIdx.x, warp = threadIdx.x / 32;
    const unsigned int warps = blockDim.x / 32;
    float x = a[thread];
#pragma unroll 1
    for (unsigned int phase = 0; phase < phases; ++phase) {
        const unsigned int turns = 1 + (warp + phase) % warps * SPREAD;
#pragma unroll 1
        for (unsigned int turn = 0; turn < turns; ++turn) {
#if LOADS
            const unsigned int threads = gridDim.x * blockDim.x;
            x = fmaf(__ldcg(a + static_cast<unsigned long long>((phase + turn) % ROWS) * threads + thread), m, x);
#endif
#pragma unroll
            for (int step = 0; step < 8; ++step) {
                x = fmaf(x, m, c);
            }
        }
#if BARRIER
        __syncthreads();
#endif
    }
    out[thread] = x;
}
