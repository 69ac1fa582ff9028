// Turns a Program into steps: segments, whose ops run together tile by tile of rows, and ops on whole tensors.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/program/program.h"

namespace hw::cpu {

/// One step of a run. tiled: the ops run in row tiles, all of them on one tile before the next.
struct Step {
  bool tiled = false;
  int64_t rows = 0;
  int64_t tile_rows = 1;   // a power of two, or all rows
  int64_t chunk_rows = 1;  // whole tiles that one thread computes one after the other: whole groups of each reduction
  std::vector<size_t> instrs;  // indices into Program::instrs, in order

  int64_t chunks() const { return (rows + chunk_rows - 1) / chunk_rows; }
};

/// How an op can be tiled.
enum class Tiling : uint8_t { none, rows, reduction };
struct TileRule {
  Tiling tiling = Tiling::none;
  int64_t rows = 0;
};
TileRule tile_rule(const Program& program, const Instr& instr);

/// Whether input k of a tiled op follows the rows of the op: tile row i needs its row i alone.
bool follows_rows(const Program& program, const Instr& instr, size_t k);

/// Steps in execution order. Depends on the program alone: not on the thread count, nor on what is kept.
std::vector<Step> schedule(const Program& program);

}  // namespace hw::cpu
