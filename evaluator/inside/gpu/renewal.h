// New contents of derived inputs from one word, for the kernels and for the processor alike; evaluator/judge/renewal.py
// says what and why, and computes the same. Where this is included, u64, mix, Form and ARENA_BOTH are known.

constexpr int FEISTEL_ROUNDS = 4;

// Where the elements of one input go. Places are new orders of an axis; null: nothing changes there.
struct Moves {
    const unsigned* places[6];  // by dimension
    // The new names of ids below label_count; null where there are more of them than elements: then each is computed.
    const unsigned* labels;
    u64 label_count, label_axis;
    int scale_axes[6];  // by dimension the axis whose factors values are multiplied by; -1: none. Of floats alone
    // Runs along the first dimension, which move as a whole: offsets in the pool and in the buffer, of run_item bytes.
    const unsigned char *old_offsets, *new_offsets;
    const unsigned* run_places;
    u64 run_count, offset_bytes;
    int run_item;
};

// Where element i of 0 … count - 1 goes: a Feistel network over the next power of four, until it ends below count.
ARENA_BOTH u64 place_of(u64 i, u64 count, u64 key) {
    int half = 1;
    while ((1ull << 2 * half) < count) ++half;
    const u64 mask = (1ull << half) - 1;
    do {
        u64 left = i >> half, right = i & mask;
        for (u64 number = 0; number < FEISTEL_ROUNDS; ++number) {
            const u64 next = left ^ (mix(right + key + (number << 32)) & mask);
            left = right;
            right = next;
        }
        i = left << half | right;
    } while (i >= count);
    return i;
}

ARENA_BOTH long long offset_at(const unsigned char* offsets, int item, u64 i) {
    switch (item) {
        case 2: return ((const short*)offsets)[i];
        case 4: return ((const int*)offsets)[i];
    }
    return ((const long long*)offsets)[i];
}

ARENA_BOTH void set_offset(unsigned char* offsets, int item, u64 i, long long value) {
    switch (item) {
        case 2: ((short*)offsets)[i] = (short)value; break;
        case 4: ((int*)offsets)[i] = (int)value; break;
        case 8: ((long long*)offsets)[i] = value; break;
    }
}

// Where element i goes with its run, the last one that begins at or before it; outside of all runs it stays.
ARENA_BOTH u64 moved_with_its_run(u64 i, const Moves& moves, u64 set) {
    const unsigned char* offsets = moves.old_offsets + set * moves.offset_bytes;
    u64 low = 0, high = moves.run_count + 1;  // the number of offsets up to i lies between
    while (low < high) {
        const u64 middle = (low + high) / 2;
        if (offset_at(offsets, moves.run_item, middle) <= (long long)i) low = middle + 1;
        else high = middle;
    }
    if (low == 0 || low > moves.run_count) return i;
    const u64 owner = low - 1;
    const long long begin = offset_at(offsets, moves.run_item, owner);
    return (u64)(offset_at(moves.new_offsets, moves.run_item, moves.run_places[owner]) + (long long)i - begin);
}

// The factor of element i of an axis, 0.75 to 1.25: eight bits, so that a product of two is exact in float32.
ARENA_BOTH double factor_of(u64 i, u64 key) { return (double)(192 + mix(key + i) % 129) / 256; }

ARENA_BOTH int scaled(int bits, double by) {
    union { int bits; float value; } found = {bits};
    found.value *= (float)by;
    return found.bits;
}

ARENA_BOTH long long scaled(long long bits, double by) {
    union { long long bits; double value; } found = {bits};
    found.value *= by;
    return found.bits;
}

template <typename T>
ARENA_BOTH T scaled(T bits, double) { return bits; }

// Writes element i of one of the pool's sets to its new place, under its new name. T is signed where there are labels.
template <typename T>
ARENA_BOTH void move_one(u64 i, T* buffer, const T* pool, const Form& form, const Moves& moves, u64 sets, u64 word) {
    const u64 set = word % sets;
    u64 rest = i, at = 0;
    double factor = 1;
    for (int axis = form.rank - 1; axis >= 0; --axis) {
        u64 index = rest;
        if (axis > 0 && form.count >> 32) {
            index = rest % form.extents[axis];
            rest /= form.extents[axis];
        } else if (axis > 0) {  // several times as fast
            index = (unsigned)rest % (unsigned)form.extents[axis];
            rest = (unsigned)rest / (unsigned)form.extents[axis];
        }
        if (moves.scale_axes[axis] >= 0) factor *= factor_of(index, mix(word + moves.scale_axes[axis]));
        if (moves.places[axis]) index = moves.places[axis][index];
        if (axis == 0 && moves.old_offsets) index = moved_with_its_run(index, moves, set);
        at += index * form.strides[axis];
    }
    T value = pool[set * form.count + i];
    if (moves.label_count && !(value < 0) && (u64)value < moves.label_count) {
        const u64 key = mix(word + moves.label_axis);
        value = (T)(moves.labels ? moves.labels[value] : place_of((u64)value, moves.label_count, key));
    }
    buffer[at] = factor == 1 ? value : scaled(value, factor);
}
