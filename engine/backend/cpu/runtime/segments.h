// Which ops share tiles of rows: a list of ops in layers, segments with what runs between them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/program/tiling.h"

namespace hw::cpu {

/// Indices into Program::instrs, each list in order. between[k] runs before segments[k]; there is one more of it.
struct Layers {
  std::vector<std::vector<size_t>> segments, between;
};

/// Writes states.
bool is_update(Op op);

/// Divides lists of one program. Takes time by the length of a list alone.
class Segmenter {
 public:
  /// `rules`: by instruction; both outlive it.
  Segmenter(const Program& program, const std::vector<TileRule>& rules);

  /// Each op as early as its inputs allow: one that tiles by `rows` rows in a segment, others between two. A segment
  /// reads what ops of its own make by rows alone; an update comes after every segment that begins before it, and
  /// whatever reads what it read, after it.
  Layers divide(std::span<const size_t> list, int64_t rows);

 private:
  struct Made {
    uint32_t list = 0;  // the list that made it, counted from 1
    size_t layer = 0;
    bool in_segment = false, by_rows = false;
  };
  struct Read {
    uint32_t list = 0;
    size_t layer = 0;
  };

  const Program& p_;
  const std::vector<TileRule>& rules_;
  std::vector<Made> made_;  // by ValueId
  std::vector<Read> read_;  // by ValueId: the last update that reads it
  uint32_t list_ = 0;
};

}  // namespace hw::cpu
