// The instruments of the device clock, for CUDA (nvrtc) and HIP (hiprtc) alike: a kernel that fills the whole device and
// holds it, a read of the last-level cache, two canaries. Compiled in the worker before the candidate is loaded.

typedef unsigned long long u64;

__device__ __forceinline__ u64 now_ns() {
#ifdef __HIP_PLATFORM_AMD__
    return wall_clock64() * ARENA_NS_PER_TICK;  // a constant clock: 100 MHz on gfx942
#else
    u64 ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
    return ns;
#endif
}

extern "C" __global__ void nothing() {}

// Every thread slot of the device taken, then held for duration_ns: nothing else can run before the event behind this
// kernel. The host waits for *signal == ticket, so that a call is made only while the device is full. Where the blocks
// do not all arrive within patience_ns something else is at work: the signal is then -ticket, and nothing is held.
// state: [0] arrived, [1] 0 until decided, then 1 (full) or 2 (not), [2] time of the decision. Zeroed before each launch.
extern "C" __global__ __launch_bounds__(1024) void fill_and_hold(
    volatile u64* state, volatile int* signal, int ticket, int duration_ns, int patience_ns) {
    if (threadIdx.x == 0) {
        const u64 arrival = now_ns();
        if (atomicAdd((u64*)&state[0], 1ull) == gridDim.x - 1 && atomicCAS((u64*)&state[1], 0ull, 1ull) == 0ull) {
            state[2] = now_ns();
            __threadfence_system();
            *signal = ticket;
        }
        while (state[1] == 0ull) {
            if (now_ns() - arrival > (u64)patience_ns && atomicCAS((u64*)&state[1], 0ull, 2ull) == 0ull) {
                __threadfence_system();
                *signal = -ticket;
            }
        }
        if (state[1] == 1ull) {
            while (state[2] == 0ull) {}
            const u64 begin = state[2];
            while (now_ns() - begin < (u64)duration_ns) {}
        }
    }
    __syncthreads();
}

// Reads size 16-byte words. The sum is stored only in a case that does not happen.
extern "C" __global__ void read_all(const uint4* words, int size, unsigned* sink) {
    unsigned sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < size; i += gridDim.x * blockDim.x) {
        const uint4 word = words[i];
        sum ^= word.x ^ word.y ^ word.z ^ word.w;
    }
    if (sum == 0x5eed5eedu) *sink = sum;
}

// rounds dependent multiply-adds a thread.
extern "C" __global__ void compute(float* sink, int rounds) {
    float a = threadIdx.x * 1e-3f, b = 1.0f, c = 0.5f, d = 0.25f;
    for (int i = 0; i < rounds; ++i) {
        a = a * 0.999f + 0.1f;
        b = b * 0.998f + 0.2f;
        c = c * 0.997f + 0.3f;
        d = d * 0.996f + 0.4f;
    }
    if (a + b + c + d == 12345.678f) *sink = a;
}
