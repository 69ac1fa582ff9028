// How an op can be computed in tiles of rows.
#pragma once

#include <cstdint>

#include "engine/program/program.h"

namespace hw {

/// rows: row i of every output is made of row i of the inputs that follow rows, and of the whole of the others.
/// reduction: the outputs are sums over the rows. none: on whole tensors alone.
enum class Tiling : uint8_t { none, rows, reduction };
struct TileRule {
  Tiling tiling = Tiling::none;
  int64_t rows = 0;
};
TileRule tile_rule(const Program& program, const Instr& instr);

/// Whether input k of a tiled op follows the rows of the op: tile row i needs its row i alone.
bool follows_rows(const Program& program, const Instr& instr, size_t k);

/// An op's part in both: how it tiles, and which inputs follow its rows where those are more than one.
struct TilingRules {
  TileRule (*tile)(const Program&, const Instr&) = nullptr;
  bool (*follows)(const Program&, const Instr&, size_t k, const TileRule&) = nullptr;
};
inline constexpr TilingRules kNotTiled{};

namespace tiling {
using P = Program;
TileRule rows(const P&, const Instr&);                      // those of its output
TileRule matrix_rows(const P&, const Instr&);               // likewise; a vector is one row
TileRule index_rows(const P&, const Instr&);                // likewise; a single index is one row
TileRule reshaped_rows(const P&, const Instr&);             // those that it keeps; else all is one row
TileRule rows_unless_axis(const P&, const Instr&);          // those of its output, unless AxisAttr::axis is 0
TileRule rows_unless_softmax_axis(const P&, const Instr&);  // unless SoftmaxAttr::axis is 0
TileRule reduction(const P&, const Instr&);                 // over the rows of its first input
TileRule fold(const P&, const Instr&);                      // over the rows, or within them where it keeps them
}  // namespace tiling

namespace follows {
using P = Program;
bool rows(const P&, const Instr&, size_t k, const TileRule&);            // as many rows and axes as the output
bool any_rank(const P&, const Instr&, size_t k, const TileRule&);        // as many rows
bool index_alone(const P&, const Instr&, size_t k, const TileRule&);     // input 0, a table, is needed whole
bool all_but_second(const P&, const Instr&, size_t k, const TileRule&);  // input 1, a table, is needed whole
bool first_alone(const P&, const Instr&, size_t k, const TileRule&);     // weights and statistics are needed whole
bool first_two(const P&, const Instr&, size_t k, const TileRule&);
bool first_axis_kept(const P&, const Instr&, size_t k, const TileRule&);  // of transpose
}  // namespace follows

}  // namespace hw
