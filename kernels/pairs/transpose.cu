// Transposition of a square FP32 matrix in tiles of 32 x 32, 32 x 8 threads; rounds > 1 repeats it from L2.
// UNCOALESCED k: of every four tiles k are written straight from the registers, column by column.
// PAD: elements between the rows of the shared tile: 1 none conflicts, 0 all 32 rows, 2 pairs of rows.
extern "C" __global__ void transpose(const float* __restrict__ a, float* __restrict__ b, unsigned int n, unsigned int rounds)
{
    __shared__ float tile[32][32 + PAD];
    const unsigned int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    const unsigned int to_x = blockIdx.y * 32 + threadIdx.x, to_y = blockIdx.x * 32 + threadIdx.y;
    const bool direct = static_cast<int>((blockIdx.x + blockIdx.y) % 4) < UNCOALESCED;
#pragma unroll 1
    for (unsigned int round = 0; round < rounds; ++round) {
        float v[4];
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            v[i] = __ldcg(a + static_cast<unsigned long long>(y + 8 * i) * n + x);
        }
        if (direct) {
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                b[static_cast<unsigned long long>(x) * n + y + 8 * i] = v[i];
            }
            continue;
        }
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            tile[threadIdx.y + 8 * i][threadIdx.x] = v[i];
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            b[static_cast<unsigned long long>(to_y + 8 * i) * n + to_x] = tile[threadIdx.x][threadIdx.y + 8 * i];
        }
        __syncthreads();
    }
}
