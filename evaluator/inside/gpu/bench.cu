// The kernels of the bench, for CUDA (nvrtc) and HIP (hiprtc) alike: one that fills the whole device and holds it, a read
// of the last-level cache, two canaries, new contents for inputs, the taking of outputs, and the hold that the judge ends.
// Compiled in the worker before the candidate is loaded, with renewal.h in place of the line that names it.

typedef unsigned long long u64;
typedef unsigned char u8;

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

// Reads size 16-byte words, of a span that is a power of two, over and over where size is larger. The sum is stored only
// in a case that does not happen.
extern "C" __global__ void read_all(const uint4* words, int size, int span, unsigned* sink) {
    unsigned sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < size; i += gridDim.x * blockDim.x) {
        const uint4 word = words[i & (span - 1)];
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

// The finaliser of splitmix64, as in seal.h.
__device__ __forceinline__ u64 mix(u64 x) {
    x += 0x9e3779b97f4a7c15ull;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
}

// How an input lies in memory: count elements of item bytes; rank 0: one after the other, else by extents and strides.
struct Form {
    u64 count;
    int rank, item;
    u64 extents[6], strides[6];
};

template <typename T>
__device__ void renew_as(T* buffer, const T* window, const Form& form) {
    for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; i < form.count; i += gridDim.x * (u64)blockDim.x) {
        u64 at = i;
        if (form.rank) {
            u64 rest = i;
            at = 0;
            for (int axis = form.rank - 1; axis >= 0; --axis) {
                at += rest % form.extents[axis] * form.strides[axis];
                rest /= form.extents[axis];
            }
        }
        buffer[at] = window[i];
    }
}

// Copies a window of a slab to a buffer. With a token the window begins where the token says, which only the judge knew
// before the hold ended; else at begin. Both in elements.
extern "C" __global__ void renew(
    u8* buffer, const u8* slab, const Form form, u64 begin, const u64* token, u64 salt, u64 spare) {
    if (token) begin = mix(*token + salt) % spare;
    switch (form.item) {
        case 1: renew_as(buffer, slab + begin, form); break;
        case 2: renew_as((unsigned short*)buffer, (const unsigned short*)slab + begin, form); break;
        case 4: renew_as((unsigned*)buffer, (const unsigned*)slab + begin, form); break;
        case 8: renew_as((u64*)buffer, (const u64*)slab + begin, form); break;
    }
}

#define ARENA_BOTH __device__ __forceinline__
#include "renewal.h"

// The word of a set's renewal: with a token only the judge knew it before the hold ended.
__device__ __forceinline__ u64 word_of(u64 word, const u64* token, u64 salt) { return token ? mix(*token + salt) : word; }

// A new order of an axis for one renewal.
extern "C" __global__ void arrange(unsigned* places, u64 count, u64 axis, u64 word, const u64* token, u64 salt) {
    const u64 key = mix(word_of(word, token, salt) + axis);
    for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; i < count; i += gridDim.x * (u64)blockDim.x) {
        places[i] = (unsigned)place_of(i, count, key);
    }
}

template <typename T>
__device__ void move_as(T* buffer, const T* pool, const Form& form, const Moves& moves, u64 sets, u64 word) {
    for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; i < form.count; i += gridDim.x * (u64)blockDim.x) {
        move_one(i, buffer, pool, form, moves, sets, word);
    }
}

// Copies one of the pool's sets to a buffer, each element to its new place and under its new name.
extern "C" __global__ void move(
    u8* buffer, const u8* pool, const Form form, const Moves moves, u64 sets, u64 word, const u64* token, u64 salt) {
    word = word_of(word, token, salt);
    switch (form.item) {
        case 1: move_as(buffer, pool, form, moves, sets, word); break;
        case 2: move_as((short*)buffer, (const short*)pool, form, moves, sets, word); break;
        case 4: move_as((int*)buffer, (const int*)pool, form, moves, sets, word); break;
        case 8: move_as((long long*)buffer, (const long long*)pool, form, moves, sets, word); break;
    }
}

// Writes the offsets of one of the pool's sets with its runs in a new order. One block: a sum over all of them.
extern "C" __global__ __launch_bounds__(1024) void reorder_runs(
    u8* buffer, const u8* pool, const unsigned* places, u64 count, int item, long long* lengths, u64 sets, u64 word,
    const u64* token, u64 salt) {
    __shared__ long long sums[1024];
    const u8* offsets = pool + word_of(word, token, salt) % sets * (count + 1) * item;
    for (u64 i = threadIdx.x; i < count; i += blockDim.x) {
        lengths[places[i]] = offset_at(offsets, item, i + 1) - offset_at(offsets, item, i);
    }
    __syncthreads();
    const u64 share = (count + blockDim.x - 1) / blockDim.x;
    const u64 begin = min(count, threadIdx.x * share), end = min(count, begin + share);
    long long own = 0;
    for (u64 i = begin; i < end; ++i) own += lengths[i];
    sums[threadIdx.x] = own;
    __syncthreads();
    for (unsigned step = 1; step < blockDim.x; step *= 2) {
        const long long before = threadIdx.x >= step ? sums[threadIdx.x - step] : 0;
        __syncthreads();
        sums[threadIdx.x] += before;
        __syncthreads();
    }
    long long now = offset_at(offsets, item, 0) + sums[threadIdx.x] - own;
    if (threadIdx.x == 0) set_offset(buffer, item, 0, now);
    for (u64 i = begin; i < end; ++i) set_offset(buffer, item, i + 1, now += lengths[i]);
}

// Copies an output and adds its digest: sum over 32-bit words of word * mix(key + index), the last word padded with zeros.
// tail counts as one more word. Each block adds its part to *digest. The key is *token where there is one.
extern "C" __global__ void consume(
    const u8* output, u8* copy, u64 bytes, u64 tail, u64 key, const u64* token, u64 salt, u64* digest) {
    __shared__ u64 sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    if (token) key = *token;
    key = mix(key + salt);
    const u64 words = (bytes + 3) / 4;
    const bool aligned = ((u64)output & 3) == 0;
    u64 own = blockIdx.x == 0 && threadIdx.x == 0 ? tail * mix(key + words) : 0;
    for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; i < words; i += gridDim.x * (u64)blockDim.x) {
        unsigned word = 0;
        if (aligned && i * 4 + 4 <= bytes) {
            word = ((const unsigned*)output)[i];
            ((unsigned*)copy)[i] = word;
        } else {
            for (u64 at = i * 4; at < i * 4 + 4 && at < bytes; ++at) {
                word |= (unsigned)output[at] << (8 * (at - i * 4));
                copy[at] = output[at];
            }
        }
        own += word * mix(key + i);
    }
    if (own) atomicAdd(&sum, own);
    __syncthreads();
    if (threadIdx.x == 0 && sum) atomicAdd(digest, sum);
}

// Waits until the judge writes a word other than 0 to *release, at most limit_ns; then *expired is 1 and the token 0.
extern "C" __global__ void await_release(volatile u64* release, volatile u64* expired, u64* token, u64 limit_ns) {
    const u64 begin = now_ns();
    while (*release == 0ull) {
        if (now_ns() - begin > limit_ns) {
            *expired = 1ull;
            *token = 0ull;
            return;
        }
    }
    *token = *release;
}

// Folds the digests of all calls into one word other than 0 and shows it to the judge.
extern "C" __global__ void finish(volatile u64* end, const u64* digests, u64 count) {
    u64 folded = count;
    for (u64 i = 0; i < count; ++i) folded = mix(folded ^ digests[i]);
    __threadfence_system();
    *end = folded ? folded : 1ull;
}
