// SCALE, b = q * a in FP64, on tensor cores: a tile of 8 x 8 elements as the product with q times the unit matrix.
// A warp takes 64 neighbouring elements (MMA_ROWS 8) or 128 (MMA_ROWS 16) as rows of 8, in two steps of k = 4. Lane
// 4 g + t holds A[g][t], B[t][g], and D[g][2t], D[g][2t + 1]. Elements beyond the last whole tile go to the CUDA cores.
// PUBLISHED 1: the columns in their order, as A is defined, so that a load takes 4 elements of each of 8 rows.
// PUBLISHED 0: lane t's two columns are 2t and 2t + 1 in A too (the rows of B follow), so that a lane loads and stores
// the same 16 bytes and neighbouring lanes neighbouring ones.
#ifndef PUBLISHED
#define PUBLISHED 0
#endif
#ifndef MMA_ROWS
#define MMA_ROWS 8
#endif

__device__ void mma(double (&d)[MMA_ROWS / 4], const double (&a)[MMA_ROWS / 8], double b)
{
#if MMA_ROWS == 8
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
        : "+d"(d[0]), "+d"(d[1]) : "d"(a[0]), "d"(b));
#else
    asm("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
        : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3]) : "d"(a[0]), "d"(a[1]), "d"(b));
#endif
}

extern "C" __global__ void scale_tensor(
    const double* __restrict__ a, double* __restrict__ b, double q, unsigned long long n)
{
    constexpr int TILES = MMA_ROWS / 8;
    const unsigned long long thread = blockIdx.x * static_cast<unsigned long long>(blockDim.x) + threadIdx.x;
    const unsigned long long base = thread / 32 * (64 * TILES);
    const int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
    if (base + 64 * TILES > n) {
        for (unsigned long long i = base + lane; i < n; i += 32) {
            b[i] = q * a[i];
        }
        return;
    }
    double first[TILES], second[TILES], d[2 * TILES] = {};
#pragma unroll
    for (int tile = 0; tile < TILES; ++tile) {
        const double* row = a + base + 64 * tile + 8 * g;
#if PUBLISHED
        first[tile] = row[t];
        second[tile] = row[t + 4];
#else
        const double2 v = reinterpret_cast<const double2*>(row)[t];
        first[tile] = v.x;
        second[tile] = v.y;
#endif
    }
#if PUBLISHED
    mma(d, first, g == t ? q : 0.0);
    mma(d, second, g == t + 4 ? q : 0.0);
#else
    mma(d, first, g == 2 * t ? q : 0.0);
    mma(d, second, g == 2 * t + 1 ? q : 0.0);
#endif
#pragma unroll
    for (int tile = 0; tile < TILES; ++tile) {
        reinterpret_cast<double2*>(b + base + 64 * tile + 8 * g)[t] = make_double2(d[2 * tile], d[2 * tile + 1]);
    }
}
