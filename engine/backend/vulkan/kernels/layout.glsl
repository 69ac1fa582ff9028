// Elements moved without computing: engine/backend/gpu/ops/layout_ops.h.

//! kernel StridedCopy
layout(constant_id = 0) const int BYTES = 4;
layout(constant_id = 1) const int FROM_AXES = 1;
layout(constant_id = 2) const int TO_AXES = 1;
struct Functor {
  uint64_t bytes, x, y;
  StridedIndex from, to;
};
//! functor
STRIDED(from, f.from, FROM_AXES)
STRIDED(to, f.to, TO_AXES)
void item(int64_t i) {
  const int64_t a = from(i), b = to(i);
  switch (BYTES) {
    case 8: U64(f.y, b) = U64(f.x, a); break;
    case 4: U32(f.y, b) = U32(f.x, a); break;
    case 2: U16(f.y, b) = U16(f.x, a); break;
    default: U8(f.y, b) = U8(f.x, a);
  }
}

//! kernel Fill
layout(constant_id = 0) const int Y = 1;
struct Functor {
  double value;
  Memory y;
};
//! functor
void item(int64_t i) { store(Y, f.y.data, i, f.value); }
