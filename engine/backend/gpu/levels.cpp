#include "engine/backend/gpu/levels.h"

#include <algorithm>
#include <map>

#include "engine/backend/plan/first_fit.h"

namespace hw::gpu {
namespace {

constexpr size_t kLittle = size_t{64} << 10;  // bytes of scratch that a piece may have to itself

/// The levels behind those that read and write memory.
class Touched {
 public:
  /// The first level in which it may be read, or written.
  size_t free_at(const MemoryRange& range, bool to_write) {
    size_t level = 0;
    for (auto it = cover(range); it != spans_.end() && it->first < end_of(range); ++it)
      level = std::max({level, it->second.written, to_write ? it->second.read : 0});
    return level;
  }
  /// It is read, or written, until `level` begins.
  void touch(const MemoryRange& range, bool writes, size_t level) {
    for (auto it = cover(range); it != spans_.end() && it->first < end_of(range); ++it) {
      size_t& until = writes ? it->second.written : it->second.read;
      until = std::max(until, level);
    }
  }

 private:
  struct Span {
    const std::byte* end;
    size_t read = 0, written = 0;
  };
  using Spans = std::map<const std::byte*, Span>;

  static const std::byte* end_of(const MemoryRange& range) { return range.begin + range.bytes; }

  /// The first of the spans that `range` is cut into, which begin and end with it.
  Spans::iterator cover(const MemoryRange& range) {
    cut(range.begin);
    cut(end_of(range));
    const std::byte* at = range.begin;
    for (auto it = spans_.lower_bound(at); at < end_of(range);) {
      if (it == spans_.end() || it->first > at) {
        const std::byte* end = it == spans_.end() ? end_of(range) : std::min(it->first, end_of(range));
        it = spans_.emplace_hint(it, at, Span{end});
      }
      at = it->second.end;
      ++it;
    }
    return spans_.lower_bound(range.begin);
  }
  /// No span has `at` within.
  void cut(const std::byte* at) {
    auto it = spans_.upper_bound(at);
    if (it == spans_.begin()) return;
    --it;
    if (it->first == at || it->second.end <= at) return;
    const Span behind = it->second;
    it->second.end = at;
    spans_[at] = behind;
  }

  Spans spans_;
};

}  // namespace

Levels levels_of(const std::vector<Piece>& pieces) {
  Levels levels;
  levels.first.resize(pieces.size());
  levels.scratch_at.resize(pieces.size());
  Touched touched;
  size_t much = 0, much_until = 0;  // of the scratch that is shared: bytes, the level behind who has it
  for (size_t i = 0; i < pieces.size(); ++i) {
    const Piece& piece = pieces[i];
    size_t first = piece.scratch > kLittle ? much_until : 0;
    for (const MemoryRange& range : piece.reads) first = std::max(first, touched.free_at(range, false));
    for (const MemoryRange& range : piece.writes) first = std::max(first, touched.free_at(range, true));
    const size_t end = first + piece.launches;
    for (const MemoryRange& range : piece.reads) touched.touch(range, false, end);
    for (const MemoryRange& range : piece.writes) touched.touch(range, true, end);
    if (piece.scratch > kLittle) {
      much = std::max(much, plan::padded(piece.scratch));
      much_until = end;
    }
    levels.first[i] = first;
    levels.count = std::max(levels.count, end);
  }
  // Little scratch lies behind what is shared, and is used again by pieces that begin where others have ended.
  std::vector<size_t> order;
  for (size_t i = 0; i < pieces.size(); ++i)
    if (pieces[i].scratch > 0 && pieces[i].scratch <= kLittle) order.push_back(i);
  std::ranges::stable_sort(order, {}, [&](size_t i) { return levels.first[i]; });
  plan::FirstFit line;
  std::multimap<size_t, size_t> held;  // by the level behind: places
  for (const size_t i : order) {
    for (; !held.empty() && held.begin()->first <= levels.first[i]; held.erase(held.begin()))
      line.release(held.begin()->second);
    const size_t at = line.take(pieces[i].scratch);
    held.emplace(levels.first[i] + pieces[i].launches, at);
    levels.scratch_at[i] = much + at;
  }
  levels.scratch_bytes = much + line.peak();
  return levels;
}

}  // namespace hw::gpu
