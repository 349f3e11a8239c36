// What the arithmetic pipes give at best: each warp runs CHAINS independent chains of one operation, rounds times.
// KIND chooses the operation. Data are known to the host alone, so that nothing folds, and such that every result is exact.
#ifdef NEEDS_HALF
#include <cuda_fp16.h>
#endif

#if KIND == FMA_FP64
using Scalar = double;
#elif KIND == FMA_FP32
using Scalar = float;
#elif KIND == FMA_FP16
using Scalar = __half2;
#endif

#if KIND == FMA_FP64 || KIND == FMA_FP32 || KIND == FMA_FP16
// FP32 and FP64: start + rounds x STEPS x c with m = 1. FP16, whose sums would not stay exact: with c = 0 and the largest m
// below 1 each product is the next smaller number.
extern "C" __global__ void fma_rate(const Scalar* __restrict__ mc, float* __restrict__ out, unsigned int rounds)
{
    constexpr int CHAINS = 8, STEPS = 64;
    const Scalar m = mc[0], c = mc[1];
    Scalar x[CHAINS];
#pragma unroll
    for (int chain = 0; chain < CHAINS; ++chain) {
        x[chain] = mc[2];
    }
#pragma unroll 1
    for (unsigned int round = 0; round < rounds; ++round) {
#pragma unroll
        for (int step = 0; step < STEPS; ++step) {
#pragma unroll
            for (int chain = 0; chain < CHAINS; ++chain) {
#if KIND == FMA_FP16
                x[chain] = __hfma2(x[chain], m, c);
#else
                x[chain] = fma(x[chain], m, c);
#endif
            }
        }
    }
    float sum = 0;
#pragma unroll
    for (int chain = 0; chain < CHAINS; ++chain) {
#if KIND == FMA_FP16
        sum += __low2float(x[chain]) + __high2float(x[chain]);
#else
        sum += static_cast<float>(x[chain]);
#endif
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
#else
// Registers of a lane: A and B in words (doubles for FP64), D in accumulators.
template <typename Acc, typename Word, int A, int B, int D>
struct Shape {
    using Accumulator = Acc;
    using Operand = Word;
    static constexpr int a = A, b = B, d = D;
};
#define A4 "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3])
#define B2 "r"(b[0]), "r"(b[1])
#define B4 B2, "r"(b[2]), "r"(b[3])
#define FLOAT4 "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
#define DENSE " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
#define SPARSE " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9, %10, %11}, {%0, %1, %2, %3}, %12, 0x0;"

#if KIND == MMA_FP64_M8N8K4
using S = Shape<double, double, 1, 1, 2>;
#elif KIND == MMA_FP64_M16N8K4
using S = Shape<double, double, 2, 1, 4>;
#elif KIND == MMA_FP64_M16N8K8
using S = Shape<double, double, 4, 2, 4>;
#elif KIND == MMA_FP64_M16N8K16
using S = Shape<double, double, 8, 4, 4>;
#elif KIND == MMA_FP16_FP16
using S = Shape<unsigned int, unsigned int, 4, 2, 2>;
#elif KIND == MMA_INT8
using S = Shape<int, unsigned int, 4, 2, 4>;
#elif KIND == MMA_FP16_SPARSE || KIND == MMA_TF32_SPARSE
using S = Shape<float, unsigned int, 4, 4, 4>;
#else
using S = Shape<float, unsigned int, 4, 2, 4>;
#endif
using Acc = S::Accumulator;
using Word = S::Operand;

__device__ __forceinline__ void mma(Acc (&d)[S::d], const Word (&a)[S::a], const Word (&b)[S::b])
{
#if KIND == MMA_FP64_M8N8K4
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
        : "+d"(d[0]), "+d"(d[1]) : "d"(a[0]), "d"(b[0]));
#elif KIND == MMA_FP64_M16N8K4
    asm volatile("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
        : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3]) : "d"(a[0]), "d"(a[1]), "d"(b[0]));
#elif KIND == MMA_FP64_M16N8K8
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64" DENSE
        : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
        : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
#elif KIND == MMA_FP64_M16N8K16
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, "
        "{%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15}, {%0, %1, %2, %3};"
        : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
        : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]), "d"(a[6]), "d"(a[7]),
          "d"(b[0]), "d"(b[1]), "d"(b[2]), "d"(b[3]));
#elif KIND == MMA_TF32
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32" DENSE : FLOAT4 : A4, B2);
#elif KIND == MMA_FP16
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32" DENSE : FLOAT4 : A4, B2);
#elif KIND == MMA_FP16_FP16
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%0, %1};"
        : "+r"(d[0]), "+r"(d[1]) : A4, B2);
#elif KIND == MMA_BF16
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32" DENSE : FLOAT4 : A4, B2);
#elif KIND == MMA_INT8
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32" DENSE
        : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]) : A4, B2);
#elif KIND == MMA_FP8
    asm volatile("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32" DENSE : FLOAT4 : A4, B2);
#elif KIND == MMA_FP16_SPARSE
    asm volatile("mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32" SPARSE
        : FLOAT4 : A4, B4, "r"(0x44444444u));
#elif KIND == MMA_TF32_SPARSE
    asm volatile("mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.tf32.tf32.f32" SPARSE
        : FLOAT4 : A4, B4, "r"(0x44444444u));
#endif
}

// Each accumulator becomes start + rounds x (k kept) x words[0] x words[1]; a thread writes the sum of its own.
extern "C" __global__ void mma_rate(const Word* __restrict__ words, Acc* __restrict__ out, Acc start, unsigned int rounds)
{
    constexpr int CHAINS = 8;
    Word a[S::a], b[S::b];
    for (Word& word : a) {
        word = words[0];
    }
    for (Word& word : b) {
        word = words[1];
    }
    Acc d[CHAINS][S::d];
    for (auto& chain : d) {
        for (Acc& value : chain) {
            value = start;
        }
    }
#pragma unroll 1
    for (unsigned int round = 0; round < rounds; ++round) {
#pragma unroll
        for (int chain = 0; chain < CHAINS; ++chain) {
            mma(d[chain], a, b);
        }
    }
    Acc sum = 0;
    for (auto& chain : d) {
        for (Acc value : chain) {
            sum += value;
        }
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
#endif
