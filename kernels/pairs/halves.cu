// FP16 vector from L2, rounds times: sums of a thread's elements in FP32. NARROW 1: 2 bytes a load; 0: 4.
#include <cuda_fp16.h>
extern "C" __global__ void halves(const __half* __restrict__ a, float* __restrict__ out, unsigned int n, unsigned int rounds)
{
    const unsigned int threads = gridDim.x * blockDim.x, thread = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
#pragma unroll 1
    for (unsigned int round = 0; round < rounds; ++round) {
#pragma unroll 1
        for (unsigned int i = thread; i < n / 8; i += threads) {
#if NARROW
#pragma unroll
            for (unsigned int part = 0; part < 8; ++part) {
                sum += __half2float(__ldcg(a + i + part * (n / 8)));
            }
#else
#pragma unroll
            for (unsigned int part = 0; part < 4; ++part) {
                const __half2 two = __ldcg(reinterpret_cast<const __half2*>(a) + i + part * (n / 8));
                sum += __low2float(two) + __high2float(two);
            }
#endif
        }
    }
    out[thread] = sum;
}
