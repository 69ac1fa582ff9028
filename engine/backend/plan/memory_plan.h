// Where every value of a program lives on a device: state, input, constant, arena, own buffer, scratch of a tile or
// of a strip.
#pragma once

#include <vector>

#include "engine/backend/plan/step.h"

namespace hw::plan {

enum class Place : uint8_t {
  none,  // no reader
  state,
  input,
  constant,
  arena,    // whole tensor, `offset` bytes into the arena; memory is reused after the last step that reads it
  own,      // whole tensor in a buffer of its own, kept from run to run
  scratch,  // one tile, `offset` bytes into the scratch of a thread
  strip,    // one strip of a region, `offset` bytes into the strips of a thread
};

struct ValuePlace {
  Place place = Place::none;
  size_t offset = 0;
};

struct MemoryPlan {
  std::vector<ValuePlace> values;  // by ValueId
  size_t arena_bytes = 0;
  std::vector<size_t> scratch_bytes;  // by step: what the values of a tile take
  size_t strip_bytes = 0;             // what the values of a strip take, in the region with most
  /// The value that needs most of the arena, for messages.
  ValueId largest = kNoValue;
};

/// `keep`: values that must stay readable after a run, besides the outputs. `own`: by ValueId, values that need a
/// buffer of their own.
MemoryPlan plan_memory(const Program& program, const std::vector<Step>& steps, std::span<const ValueId> keep,
                       const std::vector<bool>& own);

/// Bytes of a whole value.
size_t value_bytes(const Value& value);

}  // namespace hw::plan
