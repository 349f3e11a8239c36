// Can CUDA cores and tensor cores work at the same time? Chains of multiply-adds and of tensor instructions, in one kernel.
// FMAS and MMAS: instructions of each kind in a round (0: none). APART 1: even warps do the multiply-adds and odd warps the
// tensor instructions, each twice as many; 0: every warp does both, one after the other. BITS 64: DFMA and DMMA m16n8k8;
// 32: FFMA and HMMA m16n8k16 with FP32 sums. All data are ones, known to the host alone.
constexpr int CHAINS = 8;

#if BITS == 64
using Scalar = double;
using Word = double;
#define MMA "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64"
#define D(i) "+d"(d[i])
#define IN(v) "d"(v)
#else
using Scalar = float;
using Word = unsigned int;
#define MMA "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"
#define D(i) "+f"(d[i])
#define IN(v) "r"(v)
#endif

__device__ __forceinline__ void mma(Scalar (&d)[4], Word one)
{
    asm volatile(MMA " {%0, %1, %2, %3}, {%4, %4, %4, %4}, {%4, %4}, {%0, %1, %2, %3};"
        : D(0), D(1), D(2), D(3) : IN(one));
}

// x: start, factor and summand of the multiply-adds. out: the sum of a thread's multiply-add chains and of its accumulators.
extern "C" __global__ void co_issue(
    const Scalar* __restrict__ x, const Word* __restrict__ one, Scalar* __restrict__ out, unsigned int rounds)
{
    const unsigned long long thread = blockIdx.x * static_cast<unsigned long long>(blockDim.x) + threadIdx.x;
    const Scalar m = x[1], c = x[2];
    const Word unit = one[0];
    Scalar f[CHAINS], d[CHAINS][4] = {};
    for (Scalar& chain : f) {
        chain = x[0];
    }
#if APART
    const bool odd = threadIdx.x / 32 % 2;
#pragma unroll 1
    for (unsigned int round = 0; !odd && round < 2 * rounds; ++round) {
#pragma unroll
        for (int i = 0; i < FMAS; ++i) {
            f[i % CHAINS] = fma(f[i % CHAINS], m, c);
        }
    }
#pragma unroll 1
    for (unsigned int round = 0; odd && round < 2 * rounds; ++round) {
#pragma unroll
        for (int i = 0; i < MMAS; ++i) {
            mma(d[i % CHAINS], unit);
        }
    }
#else
    constexpr int EACH = FMAS > 0 && MMAS > 0 ? FMAS / MMAS : 1;
#pragma unroll 1
    for (unsigned int round = 0; round < rounds; ++round) {
#pragma unroll
        for (int i = 0; i < (FMAS > 0 ? FMAS : MMAS); ++i) {
            if (FMAS > 0) {
                f[i % CHAINS] = fma(f[i % CHAINS], m, c);
            }
            if (MMAS > 0 && i % EACH == 0) {
                mma(d[i / EACH % CHAINS], unit);
            }
        }
    }
#endif
    Scalar sum = 0;
    for (Scalar chain : f) {
        sum += chain;
    }
    for (auto& chain : d) {
        for (Scalar value : chain) {
            sum += value;
        }
    }
    out[thread] = sum;
}
