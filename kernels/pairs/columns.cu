// Prefix sums along the columns of 32 x 32 tiles in shared memory, FP64, then a store; rounds times on data from L2.
// PAD 1: rows of 33 elements; 8: rows of 40, so that of a half-warp that walks along its rows eight meet in each of two bank pairs.
extern "C" __global__ void columns(const double* __restrict__ a, double* __restrict__ b, unsigned int rounds)
{
    __shared__ double tile[4][32][32 + PAD];
    const unsigned int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const unsigned long long first = (blockIdx.x * 4ull + warp) * 1024;
    double total = 0;
#pragma unroll 1
    for (unsigned int round = 0; round < rounds; ++round) {
#pragma unroll 8
        for (int row = 0; row < 32; ++row) {
            tile[warp][row][lane] = __ldcg(a + first + row * 32 + lane);
        }
        __syncwarp();
        double sum = 0;
#pragma unroll 8
        for (int column = 0; column < 32; ++column) {
            sum += tile[warp][lane][column];
        }
        total += sum;
        __syncwarp();
    }
    b[(blockIdx.x * 4ull + warp) * 32 + lane] = total;
}
