// Each element goes through one of two FP32 chains, by its kind. How kinds are arranged makes warps take one branch or both.
// PRECISE 1: the summand is an FP64 literal's worth, so that each step goes through FP64; 0: FP32 throughout.
#if PRECISE
#define STEP(x, m, c) x = static_cast<float>(static_cast<double>(x) * (m) + static_cast<double>(c))
#else
#define STEP(x, m, c) x = fmaf(x, m, c)
#endif
extern "C" __global__ void branches(const float* __restrict__ a, const unsigned char* __restrict__ kinds,
    float* __restrict__ out, float m, float c, unsigned int n)
{
    const unsigned int stride = gridDim.x * blockDim.x;
#pragma unroll 1
    for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        float x = a[i];
        if (kinds[i] == 0) {
#pragma unroll 8
            for (int step = 0; step < STEPS; ++step) {
                STEP(x, m, c);
            }
        } else {
#pragma unroll 8
            for (int step = 0; step < STEPS; ++step) {
                STEP(x, -m, c);
            }
        }
        out[i] = x;
    }
}
