//! include exact_sums.glsl
// Sums that land anywhere, once they are made: engine/backend/gpu/ops/scatter.h.

//! kernel StoreExactSums
layout(constant_id = 0) const int Y = 1;
struct Functor {
  ExactSums from;
  Memory y;
};
//! functor
void item(int64_t i) { store(Y, f.y.data, i, value_at(f.from, i)); }
