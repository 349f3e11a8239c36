// 8-bit pixels: out = (a * gain) >> 8. NARROW 1: a byte an access; 0: four.
// STEPS: FP32 multiply-adds that each pixel goes through besides.
__device__ __forceinline__ unsigned int pixel(unsigned int a, unsigned int gain, float m, float c)
{
    const unsigned int scaled = (a * gain) >> 8;
    float x = static_cast<float>(scaled);
#pragma unroll
    for (int step = 0; step < STEPS; ++step) {
        x = fmaf(x, m, c);
    }
    return STEPS > 0 ? static_cast<unsigned int>(x) & 255u : scaled & 255u;
}

extern "C" __global__ void pixels(const unsigned char* __restrict__ a, unsigned char* __restrict__ out,
    unsigned int gain, float m, float c, unsigned int n)
{
    const unsigned int stride = gridDim.x * blockDim.x;
    const unsigned int first = blockIdx.x * blockDim.x + threadIdx.x;
#if NARROW
#pragma unroll 1
    for (unsigned int i = first; i < n / 4; i += stride) {
        // Four passes over quarters of the image: as many bytes a thread and turn as with four at once.
#pragma unroll
        for (unsigned int quarter = 0; quarter < 4; ++quarter) {
            const unsigned int at = i + quarter * (n / 4);
            out[at] = static_cast<unsigned char>(pixel(a[at], gain, m, c));
        }
    }
#else
#pragma unroll 1
    for (unsigned int i = first; i < n / 4; i += stride) {
        const unsigned int word = reinterpret_cast<const unsigned int*>(a)[i];
        unsigned int result = 0;
#pragma unroll
        for (int byte = 0; byte < 4; ++byte) {
            result |= pixel(word >> 8 * byte & 255u, gain, m, c) << 8 * byte;
        }
        reinterpret_cast<unsigned int*>(out)[i] = result;
    }
#endif
}
