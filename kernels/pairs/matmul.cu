// C = A B in FP32, tiles of 32 x 32, 32 x 8 threads with four rows each; B's tile lies with its columns as rows of
// 32 + PAD elements: 1 none conflicts, 8 eight threads of a warp meet in each of four banks.
extern "C" __global__ void matmul(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, unsigned int n)
{
    __shared__ float rows[32][33], columns[32][32 + PAD];
    const unsigned int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    float sum[4] = {};
#pragma unroll 1
    for (unsigned int k = 0; k < n; k += 32) {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            rows[threadIdx.y + 8 * i][threadIdx.x] = a[static_cast<unsigned long long>(y + 8 * i) * n + k + threadIdx.x];
            columns[threadIdx.x][threadIdx.y + 8 * i] = b[static_cast<unsigned long long>(k + threadIdx.y + 8 * i) * n + x];
        }
        __syncthreads();
#pragma unroll 8
        for (int j = 0; j < 32; ++j) {
            const float right = columns[threadIdx.x][j];
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                sum[i] = fmaf(rows[threadIdx.y + 8 * i][j], right, sum[i]);
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        c[static_cast<unsigned long long>(y + 8 * i) * n + x] = sum[i];
    }
}
