// A recursive FP32 filter over 16 past values that each thread keeps in an array, `steps` inputs a thread.
// LOCAL 1: where the ring begins is a value of run time (`shift`, 0), so that the array lies in local memory; 0: it is
// known, and the array lies in registers. Both do the same 16 multiply-adds a step. PRECISE 1: each goes through FP64.
#if PRECISE
#define MULTIPLY_ADD(w, x, y) static_cast<float>(static_cast<double>(w) * (x) + static_cast<double>(y))
#else
#define MULTIPLY_ADD(w, x, y) fmaf(w, x, y)
#endif
extern "C" __global__ void filter(
    const float* __restrict__ a, float* __restrict__ out, const float* __restrict__ weight, unsigned int steps, unsigned int shift)
{
    const unsigned int threads = gridDim.x * blockDim.x, thread = blockIdx.x * blockDim.x + threadIdx.x;
    float past[16], w[16], sum = 0;
#pragma unroll
    for (int i = 0; i < 16; ++i) {
        past[i] = 0;
        w[i] = weight[i];
    }
#pragma unroll 1
    for (unsigned int step = 0; step < steps; step += 16) {
#pragma unroll
        for (unsigned int i = 0; i < 16; ++i) {
            float y = a[static_cast<unsigned long long>(step + i) % ROWS * threads + thread];
#pragma unroll
            for (unsigned int k = 0; k < 16; ++k) {
#if LOCAL
                y = MULTIPLY_ADD(w[k], past[(i + k + shift) % 16], y);
#else
                y = MULTIPLY_ADD(w[k], past[(i + k) % 16], y);
#endif
            }
#if LOCAL
            past[(i + shift) % 16] = y;
#else
            past[i] = y;
#endif
            sum += y;
        }
    }
    out[thread] = sum;
}
