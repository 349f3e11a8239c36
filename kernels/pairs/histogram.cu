// Counts of BINS kinds, four a load. SHARED 1: in shared memory first, 0: straight in device memory. COPIES: bins that a kind is spread
// over by the thread; their sums are the same. `one` is 1, known at run time: else a faster instruction would count.
extern "C" __global__ void histogram(const uchar4* __restrict__ kinds, unsigned int* __restrict__ bins, unsigned int one, unsigned int n)
{
    const unsigned int stride = gridDim.x * blockDim.x, thread = blockIdx.x * blockDim.x + threadIdx.x;
#if SHARED
    __shared__ unsigned int own[BINS * COPIES];
    for (unsigned int i = threadIdx.x; i < BINS * COPIES; i += blockDim.x) {
        own[i] = 0;
    }
    __syncthreads();
#pragma unroll 1
    for (unsigned int i = thread; i < n / 4; i += stride) {
        const uchar4 four = kinds[i];
        atomicAdd(own + four.x * COPIES + threadIdx.x % COPIES, one);
        atomicAdd(own + four.y * COPIES + threadIdx.x % COPIES, one);
        atomicAdd(own + four.z * COPIES + threadIdx.x % COPIES, one);
        atomicAdd(own + four.w * COPIES + threadIdx.x % COPIES, one);
    }
    __syncthreads();
    for (unsigned int i = threadIdx.x; i < BINS * COPIES; i += blockDim.x) {
        atomicAdd(bins + i, own[i]);
    }
#else
#pragma unroll 1
    for (unsigned int i = thread; i < n / 4; i += stride) {
        const uchar4 four = kinds[i];
        atomicAdd(bins + four.x * COPIES + thread % COPIES, one);
        atomicAdd(bins + four.y * COPIES + thread % COPIES, one);
        atomicAdd(bins + four.z * COPIES + thread % COPIES, one);
        atomicAdd(bins + four.w * COPIES + thread % COPIES, one);
    }
#endif
}
