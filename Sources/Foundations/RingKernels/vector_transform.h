// SPDX-License-Identifier: GPL-3.0-or-later
//
// Transforms for any instruction set: included after the headers of its lanes and of the butterflies.
//
// A vector of LANES = 2^l numbers. The last 2l stages of a forward transform work on blocks of LANES vectors:
// l stages between vectors, a transposition, l stages between what were lanes, and the transposition back.
// The stages before those are done up to RADIX_BITS at a time, in passes over a node of the tree of stages:
// node (2^s + group) is the group-th part of the row at stage s and uses the factors of the same indices. A
// node's parts are finished one after the other, so that they stay in the first-level cache. The inverse
// transform is the mirror image. Needs at least one stage before the blocks.

enum { BLOCK_WORDS = LANES * LANES, MAXIMUM_RADIX = 1 << RADIX_BITS > LANES ? 1 << RADIX_BITS : LANES };

// Stages of the next pass at a node with this many stages left before the blocks: as equal as possible.
static inline unsigned pass_stages(unsigned left) {
    unsigned passes = (left + RADIX_BITS - 1) / RADIX_BITS;
    return (left + passes - 1) / passes;
}

// The factors of a pass: one for all lanes, or one for each lane of a block.
typedef struct factor_source {
    bool has_lanes; // a constant to the compiler
    const WORD *factors, *quotients;
    size_t node;
} factor_source;

INLINE void load_factor(const factor_source *source, int stage, int part, V *factor, V *quotient) {
    if (!source->has_lanes) {
        size_t index = (source->node << stage) + (size_t)part;
        *factor = v_splat(source->factors[index]);
        *quotient = v_splat(source->quotients[index]);
    } else {
        const WORD *place = source->factors + 2 * LANES * ((1 << stage) - 1 + part);
        *factor = v_load(place);
        *quotient = v_load(place + LANES);
    }
}

INLINE void forward_stages(V *v, int *bounds, int stages, factor_source source, const transform *t) {
    UNROLL
    for (int stage = 0; stage < stages; stage++) {
        int half = 1 << (stages - 1 - stage);
        UNROLL
        for (int part = 0; part < 1 << stage; part++) {
            V factor, quotient;
            load_factor(&source, stage, part, &factor, &quotient);
            UNROLL
            for (int i = part * 2 * half; i < part * 2 * half + half; i++) {
                forward_butterfly(&v[i], &v[i + half], &bounds[i], &bounds[i + half], factor, quotient, t);
            }
        }
    }
}

// Down to, but without, the stage `last`.
INLINE void inverse_stages(V *v, int *bounds, int stages, int last, factor_source source,
                           const transform *t) {
    UNROLL
    for (int stage = stages - 1; stage >= last; stage--) {
        int half = 1 << (stages - 1 - stage);
        UNROLL
        for (int part = 0; part < 1 << stage; part++) {
            V factor, quotient;
            load_factor(&source, stage, part, &factor, &quotient);
            UNROLL
            for (int i = part * 2 * half; i < part * 2 * half + half; i++) {
                inverse_butterfly(&v[i], &v[i + half], &bounds[i], &bounds[i + half], factor, quotient, t);
            }
        }
    }
}

INLINE void set_bounds(int *bounds, int bound) {
    UNROLL
    for (int i = 0; i < MAXIMUM_RADIX; i++) { bounds[i] = bound; }
}

INLINE factor_source forward_source(const rk_plan *plan, size_t node) {
    return (factor_source){false, plan->forward_factors, plan->forward_quotients, node};
}

INLINE factor_source inverse_source(const rk_plan *plan, size_t node) {
    return (factor_source){false, plan->inverse_factors, plan->inverse_quotients, node};
}

INLINE factor_source lane_source(const void *factors, size_t block) {
    return (factor_source){true, (const WORD *)factors + block * 2 * LANES * (LANES - 1), NULL, 0};
}

// The blocks stay functions of their own: inlined into the recursion they would share its registers.
__attribute__((noinline)) TARGET static void forward_block(const rk_ring *ring, WORD *row, size_t node) {
    transform t = transform_of(ring);
    V v[MAXIMUM_RADIX];
    int bounds[MAXIMUM_RADIX];
    UNROLL
    for (int i = 0; i < LANES; i++) { v[i] = v_load(row + i * LANES); }
    set_bounds(bounds, BOUND_BETWEEN_FORWARD_PASSES);
    forward_stages(v, bounds, LOG_LANES, forward_source(&ring->plan, node), &t);
    v_transpose(v);
    // Vectors mix: the bound of all is the largest.
    set_bounds(bounds, BOUND_BETWEEN_FORWARD_PASSES);
    size_t block = node - ring->degree / BLOCK_WORDS;
    forward_stages(v, bounds, LOG_LANES, lane_source(ring->plan.forward_lanes, block), &t);
    UNROLL
    for (int i = 0; i < LANES; i++) { v[i] = forward_result(v[i], &t); }
    v_transpose(v);
    UNROLL
    for (int i = 0; i < LANES; i++) { v_store(row + i * LANES, v[i]); }
}

__attribute__((noinline)) TARGET static void inverse_block(const rk_ring *ring, WORD *row, size_t node) {
    transform t = transform_of(ring);
    V v[MAXIMUM_RADIX];
    int bounds[MAXIMUM_RADIX];
    UNROLL
    for (int i = 0; i < LANES; i++) { v[i] = v_load(row + i * LANES); }
    v_transpose(v);
    set_bounds(bounds, BOUND_RESIDUE);
    size_t block = node - ring->degree / BLOCK_WORDS;
    inverse_stages(v, bounds, LOG_LANES, 0, lane_source(ring->plan.inverse_lanes, block), &t);
    UNROLL
    for (int i = 0; i < LANES; i++) { v[i] = between_passes(v[i], bounds[i], &t); }
    v_transpose(v);
    set_bounds(bounds, BOUND_BETWEEN_INVERSE_PASSES);
    inverse_stages(v, bounds, LOG_LANES, 0, inverse_source(&ring->plan, node), &t);
    UNROLL
    for (int i = 0; i < LANES; i++) { v_store(row + i * LANES, between_passes(v[i], bounds[i], &t)); }
}

// One pass over `size` words.
INLINE void forward_pass(const rk_ring *ring, WORD *dst, const WORD *src, size_t size, size_t node,
                         int stages, int first_bound, bool is_reducing) {
    transform t = transform_of(ring);
    int count = 1 << stages;
    size_t stride = size >> stages;
    for (size_t place = 0; place < stride; place += LANES) {
        V v[MAXIMUM_RADIX];
        int bounds[MAXIMUM_RADIX];
        UNROLL
        for (int i = 0; i < count; i++) {
            v[i] = v_load(src + (size_t)i * stride + place);
            if (is_reducing) { v[i] = load_reducing(v[i], &t); }
        }
        set_bounds(bounds, first_bound);
        forward_stages(v, bounds, stages, forward_source(&ring->plan, node), &t);
        UNROLL
        for (int i = 0; i < count; i++) { v_store(dst + (size_t)i * stride + place, v[i]); }
    }
}

INLINE void inverse_pass(const rk_ring *ring, WORD *row, size_t size, size_t node, int stages, bool is_last) {
    transform t = transform_of(ring);
    int count = 1 << stages;
    size_t stride = size >> stages;
    for (size_t place = 0; place < stride; place += LANES) {
        V v[MAXIMUM_RADIX];
        int bounds[MAXIMUM_RADIX];
        UNROLL
        for (int i = 0; i < count; i++) { v[i] = v_load(row + (size_t)i * stride + place); }
        set_bounds(bounds, BOUND_BETWEEN_INVERSE_PASSES);
        inverse_stages(v, bounds, stages, is_last ? 1 : 0, inverse_source(&ring->plan, node), &t);
        if (is_last) {
            UNROLL
            for (int i = 0; i < count / 2; i++) {
                inverse_results(&v[i], &v[i + count / 2], bounds[i], bounds[i + count / 2], &t);
            }
        } else {
            UNROLL
            for (int i = 0; i < count; i++) { v[i] = between_passes(v[i], bounds[i], &t); }
        }
        UNROLL
        for (int i = 0; i < count; i++) { v_store(row + (size_t)i * stride + place, v[i]); }
    }
}

// The number of stages of a pass as a constant, so that its loops unroll.
#if RADIX_BITS == 4
#define FOR_STAGES(stages, pass) \
    switch (stages) {            \
    case 1:                      \
        pass(1);                 \
        break;                   \
    case 2:                      \
        pass(2);                 \
        break;                   \
    case 3:                      \
        pass(3);                 \
        break;                   \
    default:                     \
        pass(4);                 \
    }
#else
#define FOR_STAGES(stages, pass) \
    switch (stages) {            \
    case 1:                      \
        pass(1);                 \
        break;                   \
    case 2:                      \
        pass(2);                 \
        break;                   \
    default:                     \
        pass(3);                 \
    }
#endif

TARGET static void first_forward_pass(const rk_ring *ring, WORD *dst, const WORD *src, unsigned stages){
#define PASS(n) forward_pass(ring, dst, src, ring->degree, 1, n, BOUND_RESIDUE, false)
    FOR_STAGES(stages, PASS)
#undef PASS
}

TARGET static void first_reducing_pass(const rk_ring *ring, WORD *dst, const WORD *src, unsigned stages){
#define PASS(n) forward_pass(ring, dst, src, ring->degree, 1, n, BOUND_PRODUCT, true)
    FOR_STAGES(stages, PASS)
#undef PASS
}

TARGET static void middle_forward_pass(const rk_ring *ring, WORD *row, size_t size, size_t node,
                                       unsigned stages){
#define PASS(n) forward_pass(ring, row, row, size, node, n, BOUND_BETWEEN_FORWARD_PASSES, false)
    FOR_STAGES(stages, PASS)
#undef PASS
}

TARGET static void middle_inverse_pass(const rk_ring *ring, WORD *row, size_t size, size_t node,
                                       unsigned stages){
#define PASS(n) inverse_pass(ring, row, size, node, n, false)
    FOR_STAGES(stages, PASS)
#undef PASS
}

TARGET static void last_inverse_pass(const rk_ring *ring, WORD *row, unsigned stages){
#define PASS(n) inverse_pass(ring, row, ring->degree, 1, n, true)
    FOR_STAGES(stages, PASS)
#undef PASS
}

// The parts of a node after its pass; `left` stages are before their blocks.
TARGET static void forward_parts(const rk_ring *ring, WORD *row, size_t size, size_t first_node, size_t count,
                                 unsigned left) {
    for (size_t part = 0; part < count; part++) {
        WORD *place = row + part * size;
        if (left == 0) {
            forward_block(ring, place, first_node + part);
        } else {
            unsigned stages = pass_stages(left);
            middle_forward_pass(ring, place, size, first_node + part, stages);
            forward_parts(ring, place, size >> stages, (first_node + part) << stages, (size_t)1 << stages,
                          left - stages);
        }
    }
}

TARGET static void inverse_parts(const rk_ring *ring, WORD *row, size_t size, size_t first_node, size_t count,
                                 unsigned left) {
    for (size_t part = 0; part < count; part++) {
        WORD *place = row + part * size;
        if (left == 0) {
            inverse_block(ring, place, first_node + part);
        } else {
            unsigned stages = pass_stages(left);
            inverse_parts(ring, place, size >> stages, (first_node + part) << stages, (size_t)1 << stages,
                          left - stages);
            middle_inverse_pass(ring, place, size, first_node + part, stages);
        }
    }
}

static unsigned stages_before_blocks(const rk_ring *ring) { return ring->log_degree - 2 * LOG_LANES; }

TARGET static void row_forward(const rk_ring *ring, void *dst, const void *src) {
    unsigned left = stages_before_blocks(ring), stages = pass_stages(left);
    first_forward_pass(ring, dst, src, stages);
    forward_parts(ring, dst, ring->degree >> stages, (size_t)1 << stages, (size_t)1 << stages, left - stages);
}

TARGET static void row_forward_reducing(const rk_ring *ring, void *dst, const void *src) {
    unsigned left = stages_before_blocks(ring), stages = pass_stages(left);
    first_reducing_pass(ring, dst, src, stages);
    forward_parts(ring, dst, ring->degree >> stages, (size_t)1 << stages, (size_t)1 << stages, left - stages);
}

TARGET static void row_inverse(const rk_ring *ring, void *row) {
    unsigned left = stages_before_blocks(ring), stages = pass_stages(left);
    inverse_parts(ring, row, ring->degree >> stages, (size_t)1 << stages, (size_t)1 << stages, left - stages);
    last_inverse_pass(ring, row, stages);
}

// Makes the plan and puts the transforms into the ring's table; false when memory is short.
static bool install_transform(rk_ring *ring, rk_quotient_kind quotient) {
    if (!rk_plan_create(ring, LANES, quotient)) { return false; }
    ring->kernels.forward = row_forward;
    ring->kernels.forward_reducing = row_forward_reducing;
    ring->kernels.inverse = row_inverse;
    return true;
}
