//! include exact_sums.glsl
// Rows of a table, and their gradient: engine/backend/gpu/ops/grids.h.

//! kernel Gather
layout(constant_id = 0) const int INDEX = 9;
layout(constant_id = 1) const int Y = 1;  // of the table too
struct Functor {
  Memory table, index;
  int64_t entries, width;
  Memory y;
};
//! functor
void item(int64_t i) {
  const int64_t width = f.width, row = load_whole(INDEX, f.index.data, i / width);
  if (row < 0l || row >= f.entries)
    store(Y, f.y.data, i, nan64());
  else
    copy_element(Y, f.y.data, i, f.table.data, row * width + i % width);
}

//! kernel GatherGrad
layout(constant_id = 0) const int G = 1;
layout(constant_id = 1) const int INDEX = 9;
struct Functor {
  Memory g, index;
  int64_t entries, width;
  ExactSums sums;
};
//! functor
void item(int64_t i) {
  const int64_t width = f.width, row = load_whole(INDEX, f.index.data, i / width);
  if (row >= 0l && row < f.entries) add(f.sums, row * width + i % width, load64(G, f.g.data, i));
}
