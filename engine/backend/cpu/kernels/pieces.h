// How rows are cut where the cut is seen in the bits: in sums over rows, and in products, whose library adds up in
// another order for another number of rows. It follows from the op's own shapes: neither the rest of the program nor
// the thread count changes a bit.
#pragma once

#include <cstdint>

#include "engine/program/program.h"

namespace hw::cpu {

/// A piece is summed at once and added, in order, to the partial sum of its group; groups are added in order at the
/// end. Both are powers of two, and a group has whole pieces. The last of each may be shorter.
struct ReductionPieces {
  int64_t rows = 1;
  int64_t group_rows = 1;

  int64_t groups(int64_t all_rows) const { return (all_rows + group_rows - 1) / group_rows; }
};

/// The pieces of an op that cpu_tile_rule() calls a reduction.
ReductionPieces reduction_pieces(const Program& program, const Instr& instr);

/// The rows that a matmul multiplies at once, a power of two: [0, n), [n, 2n) and so on, the last of them fewer.
int64_t product_rows(const Program& program, const Instr& instr);

}  // namespace hw::cpu
