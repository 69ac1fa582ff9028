// The random numbers of an op: engine/backend/gpu/ops/drawn.h, engine/core/philox.h, and unit_of of
// engine/kernels/random.h. No kernels: a family begins with a line `include draws.glsl`, see make_kernels.

/// gpu::Drawn.
struct Drawn {
  uint stream;
  uint8_t has_seed, has_step, pad[2];
  uint64_t seed, step, parts;
  int64_t size;
  uint64_t run;  // address of a Step
};

/// hw::Draw.
struct Draw {
  uint64_t seed, step, first;
  uint stream;
};

/// drawn.draw().
Draw draw(Drawn drawn) {
  Step run = Step(drawn.run);
  Draw d;
  d.seed = drawn.has_seed != uint8_t(0) ? drawn.seed : run.seed;
  d.stream = drawn.stream;
  d.first = 0ul;
  d.step = run.step;
  if (drawn.parts != 1ul) {
    d.step = run.step / drawn.parts;
    d.first = run.step % drawn.parts * uint64_t(drawn.size);
  }
  if (drawn.has_step != uint8_t(0)) d.step = drawn.step;
  return d;
}

uvec4 philox4x32_10(uvec4 c, uint k0, uint k1) {
  for (int turn = 0; turn < 10; ++turn) {
    uint high0, low0, high1, low1;
    umulExtended(0xD2511F53u, c.x, high0, low0);
    umulExtended(0xCD9E8D57u, c.z, high1, low1);
    c = uvec4(high1 ^ c.y ^ k0, low1, high0 ^ c.w ^ k1, low0);
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return c;
}

uvec4 philox_block(uint64_t seed, uint node, uint64_t step, uint64_t index) {
  return philox4x32_10(uvec4(uint(index), uint(index >> 32) ^ uint(step >> 32), node, uint(step)), uint(seed),
                       uint(seed >> 32));
}

/// drawn.block(i): a whole block for element i.
uvec4 drawn_block(Drawn drawn, int64_t i) {
  const Draw d = draw(drawn);
  return philox_block(d.seed, d.stream, d.step, d.first + uint64_t(i));
}

/// The words of elements begin, …, begin + 3, some of which the draw may not have: drawn_has.
uvec4 drawn_words(Drawn drawn, int64_t block, out int64_t begin) {
  const Draw d = draw(drawn);
  const uint64_t at = d.first / 4ul + uint64_t(block);
  begin = int64_t(4ul * at - d.first);
  return philox_block(d.seed, d.stream, d.step, at);
}
bool drawn_has(int64_t i, int64_t size) { return i >= 0l && i < size; }

/// A word as a number in [0, 1): its top 24 bits.
float unit32_of(uint word) { return float(int(word >> 8)) * 5.9604644775390625e-8; }
double unit64_of(uint word) { return double(int(word >> 8)) * 5.9604644775390625e-8lf; }
#ifdef REAL
#ifdef REAL_IS_F64
REAL unit_of(uint word) { return unit64_of(word); }
#else
REAL unit_of(uint word) { return unit32_of(word); }
#endif
#endif
