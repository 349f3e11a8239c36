// Kinetic energy of particles from four of their eight FP32 fields: m / 2 (u^2 + v^2 + w^2).
// AOS 1: the fields of a particle lie together; 0: each field is an array of its own.
extern "C" __global__ void particles(const float* __restrict__ p, float* __restrict__ energy, unsigned int n)
{
    extern __shared__ char unused[];  // bounds the blocks on a multiprocessor
    const unsigned int stride = gridDim.x * blockDim.x;
#pragma unroll 1
    for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        float field[4];
#pragma unroll
        for (int f = 0; f < 4; ++f) {
            field[f] = AOS ? p[8ull * i + f] : p[static_cast<unsigned long long>(f) * n + i];
        }
        energy[i] = 0.5f * field[3] * (field[0] * field[0] + field[1] * field[1] + field[2] * field[2]);
    }
}
