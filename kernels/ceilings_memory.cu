// What memory gives at best. Blocks of 256 threads; a block moves PIECES pieces of 256 x 16 bytes that lie together, so
// that each thread has PIECES accesses under way. n16 counts units of 16 bytes, and is a multiple of 256 x PIECES.
#ifndef PIECES
#define PIECES 4
#endif
constexpr int THREADS = 256;

__device__ unsigned int folded(uint4 v) { return v.x ^ v.y ^ v.z ^ v.w; }

__device__ void write_block_xor(unsigned int value, unsigned int* out)
{
    __shared__ unsigned int parts[THREADS / 32];
    value = __reduce_xor_sync(0xffffffffu, value);
    if (threadIdx.x % 32 == 0) {
        parts[threadIdx.x / 32] = value;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned int all = 0;
        for (unsigned int part : parts) {
            all ^= part;
        }
        out[blockIdx.x] = all;
    }
}

// out[block] = exclusive or of all 32-bit words of the block's piece.
extern "C" __global__ void dram_read(const uint4* __restrict__ a, unsigned int* __restrict__ out)
{
    const unsigned long long first = blockIdx.x * static_cast<unsigned long long>(THREADS * PIECES) + threadIdx.x;
    uint4 v[PIECES];
#pragma unroll
    for (int piece = 0; piece < PIECES; ++piece) {
        v[piece] = __ldcs(a + first + piece * THREADS);
    }
    unsigned int all = 0;
#pragma unroll
    for (int piece = 0; piece < PIECES; ++piece) {
        all ^= folded(v[piece]);
    }
    write_block_xor(all, out);
}

// b[i] = (i, i, i, i), i in units of 16 bytes, modulo 2^32.
extern "C" __global__ void dram_write(uint4* __restrict__ b)
{
    const unsigned long long first = blockIdx.x * static_cast<unsigned long long>(THREADS * PIECES) + threadIdx.x;
#pragma unroll
    for (int piece = 0; piece < PIECES; ++piece) {
        const unsigned int i = static_cast<unsigned int>(first + piece * THREADS);
        __stcs(b + first + piece * THREADS, make_uint4(i, i, i, i));
    }
}

extern "C" __global__ void dram_copy(const uint4* __restrict__ a, uint4* __restrict__ b)
{
    const unsigned long long first = blockIdx.x * static_cast<unsigned long long>(THREADS * PIECES) + threadIdx.x;
    uint4 v[PIECES];
#pragma unroll
    for (int piece = 0; piece < PIECES; ++piece) {
        v[piece] = __ldcs(a + first + piece * THREADS);
    }
#pragma unroll
    for (int piece = 0; piece < PIECES; ++piece) {
        __stcs(b + first + piece * THREADS, v[piece]);
    }
}

// Every block reads all pieces of a small array in turn, beginning with its own; rounds times. L1 is passed by.
extern "C" __global__ void l2_read(
    const uint4* __restrict__ a, unsigned int* __restrict__ out, unsigned int pieces, unsigned int rounds)
{
    unsigned int all = 0, piece = blockIdx.x % pieces;
#pragma unroll 1
    for (unsigned int round = 0; round < rounds; ++round) {
        uint4 v[PIECES];
#pragma unroll
        for (int part = 0; part < PIECES; ++part) {
            v[part] = __ldcg(a + (piece * PIECES + part) * THREADS + threadIdx.x);
        }
#pragma unroll
        for (int part = 0; part < PIECES; ++part) {
            all ^= folded(v[part]);
        }
        piece = piece + 1 < pieces ? piece + 1 : 0;
    }
    write_block_xor(all, out);
}

// Each thread reads 16 bytes at a time from shared memory, neighbours neighbouring ones: 4 wavefronts a warp.
extern "C" __global__ void shared_read(unsigned int* __restrict__ out, unsigned int rounds)
{
    constexpr int ROWS = 8;
    __shared__ uint4 rows[ROWS][THREADS];
    for (int row = 0; row < ROWS; ++row) {
        const unsigned int word = row * THREADS + threadIdx.x;
        rows[row][threadIdx.x] = make_uint4(word, 2 * word, 3 * word, 5 * word);
    }
    __syncthreads();
    unsigned int all = 0, column = threadIdx.x;
#pragma unroll 1
    for (unsigned int round = 0; round < rounds; ++round) {
#pragma unroll
        for (int row = 0; row < ROWS; ++row) {
            all = all * 5 + folded(rows[row][column]);
        }
        column = (column + 32) % THREADS;
    }
    write_block_xor(all, out);
}

// Cycles of the multiprocessor and nanoseconds between two looks at both clocks, `cycles` apart: the clock's frequency.
extern "C" __global__ void clock_rate(unsigned long long* __restrict__ out, unsigned long long cycles)
{
    unsigned long long began, ended;
    const long long first = clock64();
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(began));
    long long last = first;
    while (static_cast<unsigned long long>(last - first) < cycles) {
        last = clock64();
    }
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ended));
    out[0] = static_cast<unsigned long long>(last - first);
    out[1] = ended - began;
}
