// counted_adam over blocks of 16 elements with a touched mask, in f32, the view written in the same pass and what
// exceeds the limits counted. V names the instructions; per element the order of operations is that of
// engine/kernels/optimisers.h.

/// Brings what an update of block b reads and writes into the cache: hardware does not foresee six rows with gaps.
template <TableFormat View>
inline __attribute__((always_inline)) void prefetch_block(const TouchedAdam& a, int64_t b) {
  const int64_t i = 16 * b;
  __builtin_prefetch(a.grad + i, 1);
  __builtin_prefetch(a.master + i, 1);
  __builtin_prefetch(a.m + i, 1);
  __builtin_prefetch(a.v + i, 1);
  __builtin_prefetch(a.updates + i, 1);
  if (a.view) __builtin_prefetch(static_cast<char*>(a.view) + i * (View == TableFormat::f32 ? 4 : 2), 1);
}

template <TableFormat View>
inline __attribute__((always_inline)) int64_t touched_adam_as(const kernels::CountedAdam<float>& counted,
                                                              const kernels::UpdateLimits<float>& limits,
                                                              const TouchedAdam& a, int64_t blocks) {
  const kernels::Adam<float> s = counted.step;
  const auto* corrections = reinterpret_cast<const float*>(counted.corrections);
  constexpr int64_t kAhead = 16;  // blocks
  int64_t bad = 0;
  for (int64_t b = 0; b < blocks; ++b) {
    if (b + kAhead < blocks && a.touched[b + kAhead]) prefetch_block<View>(a, b + kAhead);
    if (!a.touched[b]) continue;
    for (int64_t i = 16 * b; i < 16 * b + 16; i += V::width) {
      const typename V::F grad = V::load(a.grad + i);
      const typename V::M moved = V::not_zero(grad);
      if (a.clear) V::store(a.grad + i, V::set1(0.0f));
      if (!V::any(moved)) continue;
      const typename V::F p = V::load(a.master + i), m = V::load(a.m + i), v = V::load(a.v + i);
      const typename V::F g = V::add(V::mul(grad, V::set1(s.gradient_scale)), V::mul(V::set1(s.decay), p));
      const typename V::F m1 = V::add(V::mul(V::set1(s.beta1), m), V::mul(V::set1(s.one_minus_beta1), g));
      const typename V::F v1 = V::add(V::mul(V::set1(s.beta2), v), V::mul(V::set1(s.one_minus_beta2), V::mul(g, g)));
      const typename V::I before = V::load_u16(a.updates + i);
      const typename V::I t = V::min_u(V::add_i(before, V::set1_i(1)), V::set1_i(kernels::kMostUpdates));
      typename V::F first, second;
      V::gather_pairs(corrections, V::min_u(t, V::set1_i(counted.last)), first, second);
      const typename V::F rate = V::mul(V::set1(s.rate), first);
      const typename V::F root = V::add(V::sqrt(V::mul(v1, second)), V::set1(s.epsilon));
      const typename V::F p1 = V::sub(V::mul(p, V::set1(s.keep)), V::div(V::mul(rate, m1), root));
      const typename V::F next = V::select(moved, p1, p);
      V::store_u16(a.updates + i, V::as_int(V::select(moved, V::as_float(t), V::as_float(before))));
      V::store(a.m + i, V::select(moved, m1, m));
      V::store(a.v + i, V::select(moved, v1, v));
      V::store(a.master + i, next);
      const typename V::M beyond = V::either(V::beyond(p1, V::set1(limits.master)),
                                             V::either(V::beyond(m1, V::set1(limits.first)),
                                                       V::beyond(v1, V::set1(limits.second))));
      bad += V::count(V::both(moved, beyond));
      if (!a.view) continue;
      if constexpr (View == TableFormat::f16)
        V::store_f16(static_cast<uint16_t*>(a.view) + i, next);
      else if constexpr (View == TableFormat::bf16)
        V::store_bf16(static_cast<uint16_t*>(a.view) + i, next);
      else
        V::store(static_cast<float*>(a.view) + i, next);
    }
    if (a.clear) a.touched[b] = 0;
  }
  return bad;
}

inline int64_t touched_adam(const kernels::CountedAdam<float>& s, const kernels::UpdateLimits<float>& l,
                            const TouchedAdam& a, int64_t blocks) {
  const kernels::CountedAdam<float> step = s;
  const kernels::UpdateLimits<float> limits = l;
  if (a.format == TableFormat::f16) return touched_adam_as<TableFormat::f16>(step, limits, a, blocks);
  if (a.format == TableFormat::bf16) return touched_adam_as<TableFormat::bf16>(step, limits, a, blocks);
  return touched_adam_as<TableFormat::f32>(step, limits, a, blocks);
}
