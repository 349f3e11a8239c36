// Copies chunks of CHUNK x 16 bytes from where `order` says to their place: whole sectors, and only those, in any order.
extern "C" __global__ void chunks(const uint4* __restrict__ a, uint4* __restrict__ b, const unsigned int* __restrict__ order, unsigned int n)
{
    const unsigned long long stride = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
    const unsigned long long all = static_cast<unsigned long long>(n) * CHUNK;
#pragma unroll 2
    for (unsigned long long i = blockIdx.x * static_cast<unsigned long long>(blockDim.x) + threadIdx.x; i < all; i += stride) {
        b[i] = a[static_cast<unsigned long long>(order[i / CHUNK]) * CHUNK + i % CHUNK];
    }
}
