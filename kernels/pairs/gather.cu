// out[i] = table[index[i]] in FP64; the order of the indices makes the accesses neighbourly or not.
extern "C" __global__ void gather(
    const double* __restrict__ table, const unsigned int* __restrict__ index, double* __restrict__ out, unsigned int n)
{
    const unsigned int stride = gridDim.x * blockDim.x;
#pragma unroll 1
    for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        out[i] = __ldcg(table + index[i]);
    }
}
