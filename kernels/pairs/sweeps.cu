// `sweeps` sums over an array, each with another weight. FAR 1: sweep after sweep over the whole array, which no cache
// holds; 0: all sweeps over a block's next 32 KiB before it goes on. Same loads, same sums, another order.
extern "C" __global__ void sweeps(
    const float4* __restrict__ a, float* __restrict__ out, unsigned int chunks, unsigned int sweeps, float weight)
{
    constexpr unsigned int CHUNK = 2048;  // vectors of 16 bytes
    float sum = 0;
#if FAR
#pragma unroll 1
    for (unsigned int sweep = 0; sweep < sweeps; ++sweep) {
#pragma unroll 1
        for (unsigned int chunk = blockIdx.x; chunk < chunks; chunk += gridDim.x) {
#else
#pragma unroll 1
    for (unsigned int chunk = blockIdx.x; chunk < chunks; chunk += gridDim.x) {
#pragma unroll 1
        for (unsigned int sweep = 0; sweep < sweeps; ++sweep) {
#endif
#pragma unroll 4
            for (unsigned int i = threadIdx.x; i < CHUNK; i += 256) {
                const float4 v = __ldcg(a + static_cast<unsigned long long>(chunk) * CHUNK + i);
                sum += (weight + static_cast<float>(sweep)) * (v.x + v.y + v.z + v.w);
            }
        }
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
