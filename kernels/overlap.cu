// Kernels whose overlap of arithmetic with memory is known by experiment: each can be built without its memory accesses
// (MEM 0) or without its arithmetic (CMP 0); without both, loops, addresses and barriers remain. The arithmetic is STEPS
// multiply-adds (KIND 64, 32) or tensor instructions (KIND 164: DMMA m8n8k4) on 16 bytes a thread.
// What a variant leaves out is replaced by values that the compiler cannot foresee (`fake`), and stores by ones that
// never happen (`never`). Tile loops are not unrolled: shorter bodies would be, and hold more loads under way.
#if KIND == 32
using Scalar = float;
using Vector = float4;
#define EACH(v, do) do(v.x); do(v.y); do(v.z); do(v.w)
#else
using Scalar = double;
using Vector = double2;
#define EACH(v, do) do(v.x); do(v.y)
#endif

struct Opaque {
    Scalar m, c, fake, never;
};

__device__ __forceinline__ Vector faked(const Opaque& o, unsigned long long i)
{
    const Scalar x = o.fake + static_cast<Scalar>(static_cast<unsigned int>(i) & 1023u);
#if KIND == 32
    return make_float4(x, x + o.m, x + 2 * o.m, x + 3 * o.m);
#else
    return make_double2(x, x + o.m);
#endif
}

__device__ __forceinline__ void arithmetic(Vector& v, const Opaque& o)
{
#if CMP
#if KIND == 164
    // Lane 4 g + t: D[g][2t], D[g][2t + 1]. A is m on the diagonal of the first four columns, B is c everywhere.
    const int lane = threadIdx.x % 32;
    const double a = lane / 4 == lane % 4 ? o.m : 0.0;
#pragma unroll
    for (int step = 0; step < STEPS; ++step) {
        asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
            : "+d"(v.x), "+d"(v.y) : "d"(a), "d"(o.c));
    }
#else
#define STEP(x) x = fma(x, o.m, o.c)
#pragma unroll
    for (int step = 0; step < STEPS; ++step) {
        EACH(v, STEP);
    }
#endif
#endif
}

__device__ __forceinline__ void store(Vector* b, unsigned long long i, const Vector& v, const Opaque& o)
{
#if MEM
    b[i] = v;
#else
    Scalar sum = v.x + v.y;
#if KIND == 32
    sum += v.z + v.w;
#endif
    if (sum == o.never) {
        b[i] = v;
    }
#endif
}

// Free-running (PHASES 0), or with memory and arithmetic kept apart by barriers (PHASES 1). n: vectors of 16 bytes.
extern "C" __global__ void factorial(const Vector* __restrict__ a, Vector* __restrict__ b, Opaque o, unsigned long long n)
{
    extern __shared__ char unused[];  // bounds the blocks on a multiprocessor
    const unsigned long long stride = gridDim.x * static_cast<unsigned long long>(blockDim.x);
    const unsigned long long first = blockIdx.x * static_cast<unsigned long long>(blockDim.x);
#pragma unroll 1
    for (unsigned long long base = first; base < n; base += stride) {
        const unsigned long long i = base + threadIdx.x;
#if MEM
        Vector v = {};
        if (i < n) {
            v = a[i];
        }
#else
        Vector v = faked(o, i);
#endif
#if PHASES
        __syncthreads();
#endif
        arithmetic(v, o);
#if PHASES
        __syncthreads();
#endif
        if (i < n) {
            store(b, i, v, o);
        }
    }
}

// A block takes tiles in turn; of every OF tiles the first AHEAD are fetched before the arithmetic of the tile before, the
// others after it: so much of the arithmetic can hide. One block a multiprocessor, so that no other block hides the rest.
extern "C" __global__ void pipelined(
    const Vector* __restrict__ a, Vector* __restrict__ b, Opaque o, unsigned int tiles)
{
    extern __shared__ char memory[];
    Vector* const buffers = reinterpret_cast<Vector*>(memory);
    const unsigned int width = blockDim.x * DEPTH;
#define FETCH(tile, buffer)                                                                                            \
    for (int part = 0; part < DEPTH; ++part) {                                                                         \
        const unsigned int at = part * blockDim.x + threadIdx.x;                                                       \
        const unsigned long long i = static_cast<unsigned long long>(tile) * width + at;                               \
        const unsigned int to = static_cast<unsigned int>(__cvta_generic_to_shared(buffers + (buffer) * width + at));  \
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(a + i) : "memory");                    \
    }                                                                                                                  \
    asm volatile("cp.async.commit_group;" ::: "memory");
    if constexpr (MEM) {
        FETCH(blockIdx.x, 0)
    }
    unsigned int number = 0;
#pragma unroll 1
    for (unsigned int tile = blockIdx.x; tile < tiles; tile += gridDim.x, ++number) {
        const unsigned int buffer = number % 2, next = tile + gridDim.x;
        const bool early = static_cast<int>((number + 1) % OF) < AHEAD;
        if constexpr (MEM) {
            asm volatile("cp.async.wait_all;" ::: "memory");
        }
        __syncthreads();
        if (MEM && early && next < tiles) {
            FETCH(next, 1 - buffer)
        }
#pragma unroll 1
        for (int part = 0; part < DEPTH; ++part) {
            const unsigned int at = part * blockDim.x + threadIdx.x;
            const unsigned long long i = static_cast<unsigned long long>(tile) * width + at;
            Vector v = MEM ? buffers[buffer * width + at] : faked(o, i);
            arithmetic(v, o);
            store(b, i, v, o);
        }
        __syncthreads();
        if (MEM && !early && next < tiles) {
            FETCH(next, 1 - buffer)
        }
    }
}
