// Which launches of a step may run beside each other: those of one level touch no memory that another of it writes.
#pragma once

#include <cstddef>
#include <vector>

namespace hw::gpu {

struct MemoryRange {
  const std::byte* begin = nullptr;
  size_t bytes = 0;
};

/// An instruction: launches one behind the other, of which each may touch all of its memory.
struct Piece {
  std::vector<MemoryRange> reads, writes;
  size_t launches = 0;
  size_t scratch = 0;  // bytes
};

struct Levels {
  std::vector<size_t> first;  // by piece: the level of its first launch; the others take the levels behind
  size_t count = 0;
  std::vector<size_t> scratch_at;  // by piece: the first byte of its scratch
  size_t scratch_bytes = 0;        // of all
};

/// Each piece as early as its memory allows: behind those before it in the list that write what it touches, or touch
/// what it writes. Little scratch lies apart where pieces overlap; pieces with much of it share the same, and so come
/// one behind the other.
Levels levels_of(const std::vector<Piece>& pieces);

}  // namespace hw::gpu
