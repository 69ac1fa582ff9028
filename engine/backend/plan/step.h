// A step of a run: ops that run one after the other, or tile by tile of rows.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/program/program.h"

namespace hw::plan {

/// A run of ops that are computed strip by strip of elements, all of them on one strip before the next.
struct Region {
  size_t first = 0, count = 0;  // into Step::instrs
};

/// tiled: the ops run in row tiles, all of them on one tile before the next.
struct Step {
  bool tiled = false;
  int64_t rows = 0;
  int64_t tile_rows = 1;    // a power of two, or all rows
  int64_t chunk_rows = 1;   // whole tiles that one thread computes one after the other: whole groups of each reduction
  bool of_weights = false;  // all it makes are weight_values()
  std::vector<size_t> instrs;        // indices into Program::instrs, in order
  std::vector<Region> regions = {};  // of a tiled step, in order, none overlapping
  std::vector<ValueId> held = {};    // whose memory stays until the step has ended, beside what its ops read

  int64_t chunks() const { return (rows + chunk_rows - 1) / chunk_rows; }
};

}  // namespace hw::plan
