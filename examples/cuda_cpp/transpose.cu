// Two ways to transpose a matrix: straight, with strided stores, and through shared memory. Checks every element.
//
//   nvcc -O3 -arch=native -lineinfo -o transpose examples/cuda_cpp/transpose.cu
//   nsightlens profile -- ./transpose
//
// The ranges transpose/size N/straight and transpose/size N/tiled need the NVTX headers, which come with CUDA.
// Exit code: 0 correct, 1 wrong result, 2 no usable GPU or wrong usage.

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#if __has_include(<nvtx3/nvtx3.hpp>)
#include <nvtx3/nvtx3.hpp>

struct Domain {
    static constexpr char const *name{"transpose"};
};

struct Range : nvtx3::scoped_range_in<Domain> {
    Range(std::string const &name, int size)
        : nvtx3::scoped_range_in<Domain>{nvtx3::event_attributes{name, nvtx3::payload{size}}} {}
};
#else
struct Range {
    Range(std::string const &, int) {}
    ~Range() {}
};
#endif

constexpr int TILE = 32;
constexpr int ROWS = 8;

void require(cudaError_t status, char const *what) {
    if (status == cudaSuccess) return;
    std::fprintf(stderr, "transpose: %s: %s\n", what, cudaGetErrorString(status));
    std::exit(2);
}

__global__ void straight(float const *in, float *out, int n) {
    int const x = blockIdx.x * TILE + threadIdx.x;
    for (int y = blockIdx.y * TILE + threadIdx.y; y < min((blockIdx.y + 1) * TILE, n); y += ROWS)
        if (x < n) out[size_t(x) * n + y] = in[size_t(y) * n + x];
}

__global__ void tiled(float const *in, float *out, int n) {
    __shared__ float tile[TILE][TILE + 1];  // the extra column keeps the threads of a warp on different banks
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int row = 0; row < TILE; row += ROWS)
        if (x < n && y + row < n) tile[threadIdx.y + row][threadIdx.x] = in[size_t(y + row) * n + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x, y = blockIdx.x * TILE + threadIdx.y;
    for (int row = 0; row < TILE; row += ROWS)
        if (x < n && y + row < n) out[size_t(y + row) * n + x] = tile[threadIdx.x][threadIdx.y + row];
}

using Kernel = void (*)(float const *, float *, int);

bool correct(char const *name, Kernel kernel, std::vector<float> const &host, float const *in, float *out, int n) {
    std::vector<float> found(host.size());
    size_t const bytes = host.size() * sizeof(float);
    require(cudaMemset(out, 0xff, bytes), "cudaMemset");
    int const blocks = (n + TILE - 1) / TILE;
    {
        Range range{name, n};
        kernel<<<dim3(blocks, blocks), dim3(TILE, ROWS)>>>(in, out, n);
    }
    require(cudaGetLastError(), name);
    require(cudaMemcpy(found.data(), out, bytes, cudaMemcpyDeviceToHost), name);
    for (int y = 0; y < n; ++y)
        for (int x = 0; x < n; ++x)
            if (found[size_t(x) * n + y] != host[size_t(y) * n + x]) {
                std::fprintf(stderr, "transpose: wrong result: %s, size %d, row %d, column %d\n", name, n, y, x);
                return false;
            }
    return true;
}

bool transpose(int n) {
    Range range{"size " + std::to_string(n), n};
    std::vector<float> host(size_t(n) * n);
    for (size_t i = 0; i < host.size(); ++i) host[i] = float(i % 16777213);  // whole numbers that FP32 holds exactly
    float *in = nullptr, *out = nullptr;
    size_t const bytes = host.size() * sizeof(float);
    require(cudaMalloc(&in, bytes), "cudaMalloc");
    require(cudaMalloc(&out, bytes), "cudaMalloc");
    require(cudaMemcpy(in, host.data(), bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
    bool const good =
        correct("straight", straight, host, in, out, n) && correct("tiled", tiled, host, in, out, n);
    require(cudaFree(in), "cudaFree");
    require(cudaFree(out), "cudaFree");
    return good;
}

int main(int count, char **arguments) {
    if (count > 1) {
        bool const help = !std::strcmp(arguments[1], "--help") || !std::strcmp(arguments[1], "-h");
        std::fprintf(help ? stdout : stderr, "usage: transpose\nTransposes matrices in two ways and checks them.\n");
        return help ? 0 : 2;
    }
    int devices = 0;
    require(cudaGetDeviceCount(&devices), "no usable CUDA device");
    for (int n : {1000, 4096})
        if (!transpose(n)) return 1;
    std::printf("transpose: 4 launches, results correct\n");
}
