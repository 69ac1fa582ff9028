// The loop of the op `random` for one instruction set. Included by simd_scalar.cpp, simd_avx2.cpp and simd_avx512.cpp
// after simd_loops.inl, which has philox16.

template <class T>
void random(T* out, int64_t n, const Draw& draw, const RandomAttr& attr) {
  const bool normal = attr.distribution == RandomAttr::Distribution::normal;
  const T a = static_cast<T>(attr.a), b = static_cast<T>(attr.b), span = static_cast<T>(attr.b - attr.a);
  uint32_t words[64];
  T even[32], odd[32], values[64];
  for (int64_t i = 0; i < n;) {
    const uint64_t element = draw.first + static_cast<uint64_t>(i);
    philox16(element / 4, draw.seed, draw.stream, draw.step, words);
    if (normal) {
      for (int k = 0; k < 32; ++k) kernels::normal_pair(words[2 * k], words[2 * k + 1], even[k], odd[k]);
      for (int k = 0; k < 32; ++k) {
        values[2 * k] = a + b * even[k];
        values[2 * k + 1] = a + b * odd[k];
      }
    } else {
      for (int k = 0; k < 64; ++k) values[k] = kernels::uniform_between(words[k], a, span);
    }
    const auto skip = static_cast<int64_t>(element % 4);
    const int64_t count = n - i < 64 - skip ? n - i : 64 - skip;
    std::memcpy(out + i, values + skip, static_cast<size_t>(count) * sizeof(T));
    i += count;
  }
}
