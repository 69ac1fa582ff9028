#include "engine/backend/cpu/kernels/pieces.h"

#include <algorithm>
#include <bit>

#include "engine/program/tiling.h"

namespace hw::cpu {
namespace {

int64_t at_least_one(int64_t n) {
  return std::max<int64_t>(n, 1);
}
int64_t over(int64_t n, int64_t parts) {
  return (n + parts - 1) / parts;
}
int64_t power_of_two_from(int64_t n) {
  return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(at_least_one(n))));
}

// What one row costs: multiplications of a product, elements of the other sums.
int64_t work_of_a_row(const Program& p, const Instr& instr, int64_t rows) {
  const int64_t elements = at_least_one(element_count(p[instr.in[0]].dims) / rows);
  if (instr.op == Op::matmul_tn) return elements * at_least_one(p[instr.in[1]].dims.back());
  if (instr.op != Op::conv2d_grad_weight) return elements;
  const Dims& weight = p[instr.out[0]].dims;
  return at_least_one(element_count(p[instr.in[1]].dims) / rows * (element_count(weight) / at_least_one(weight[0])));
}

// Elements of a row of the operands that follow the rows.
int64_t row_elements(const Program& p, const Instr& instr, int64_t rows) {
  int64_t n = 0;
  for (size_t k = 0; k < instr.in.size(); ++k)
    if (follows_rows(p, instr, k)) n += element_count(p[instr.in[k]].dims) / rows;
  return n;
}

// The most rows of `elements` each, a power of two, from 1 to 1024, that are no more than `all` elements.
int64_t rows_within(int64_t all, int64_t elements) {
  int64_t n = 1024;
  while (n > 1 && n * elements > all) n /= 2;
  return n;
}

// As f32, a matrix that stays near the core, and pictures as a tile has them.
constexpr int64_t kMatrix = int64_t{32} << 10, kPictures = int64_t{256} << 10;

}  // namespace

ReductionPieces reduction_pieces(const Program& p, const Instr& instr) {
  const int64_t all_rows = tile_rule(p, instr).rows, rows = at_least_one(all_rows);
  const int64_t results = at_least_one(element_count(p[instr.out[0]].dims)), elements = row_elements(p, instr, rows);

  // So many terms that adding a piece to its group costs little beside them, and so much work that a call does.
  constexpr int64_t kTerms = 256, kMostElements = int64_t{2} << 20;
  const bool pictures = instr.op == Op::conv2d_grad_weight, matrices = instr.op == Op::matmul_tn;
  const int64_t work = work_of_a_row(p, instr, rows);
  const int64_t least_work = int64_t{1} << (pictures ? 23 : matrices ? 20 : 14);
  const int64_t of_terms = power_of_two_from(over(kTerms, at_least_one(work / results)));
  const int64_t of_work = power_of_two_from(over(least_work, work));
  ReductionPieces pieces;
  pieces.rows = std::max(of_terms, std::min(of_work, rows_within(pictures ? kPictures : kMatrix, elements)));
  while (pieces.rows > 1 && pieces.rows * elements > kMostElements) pieces.rows /= 2;

  // A partial sum each: enough for threads to share, fewer where they are large.
  constexpr int64_t kMiB = int64_t{1} << 20;
  const int64_t bytes = results * 4;
  const int64_t groups = bytes > 16 * kMiB ? 8 : std::clamp<int64_t>(4 * kMiB / bytes, 16, 64);
  pieces.group_rows = std::max(pieces.rows, power_of_two_from(over(all_rows, groups)));
  return pieces;
}

int64_t product_rows(const Program& p, const Instr& instr) {
  const Dims& a = p[instr.in[0]].dims;
  const int64_t rows = at_least_one(tile_rule(p, instr).rows);
  const int64_t factors = element_count(a) / rows, results = element_count(p[instr.out[0]].dims) / rows;
  // Never so few matrix rows that a call costs more than they do.
  constexpr int64_t kLeastMatrixRows = 16;
  const int64_t matrix_rows = at_least_one(factors / at_least_one(a.back()));
  return std::max(rows_within(kMatrix, factors + results), power_of_two_from(over(kLeastMatrixRows, matrix_rows)));
}

}  // namespace hw::cpu
