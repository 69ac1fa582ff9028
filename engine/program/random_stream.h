// RandomStream: where a random op draws its numbers from, and which of them a forward pass draws.
#pragma once

#include <cstdint>
#include <optional>

namespace hw {

/// Numbers follow one another by (seed, stream, step, element); see engine/core/philox.h.
struct RandomStream {
  uint32_t stream = 0;                // stream_of(a name)
  std::optional<uint64_t> seed = {};  // none: the run's
  std::optional<uint64_t> step = {};  // from 0; none: the run's
  uint64_t parts = 1;                 // forward passes that share a step: micro-batches of one update
  bool operator==(const RandomStream&) const = default;
};

/// What one forward pass draws: elements first, first + 1, … of (seed, stream, step).
struct Draw {
  uint64_t seed = 0;
  uint32_t stream = 0;
  uint64_t step = 0;
  uint64_t first = 0;
};

/// Where an op draws `count` elements (points, rows) in the forward pass `pass` of a run, counted from 0. Parts of a
/// step draw one after the other what they would draw together: a batch and its micro-batches have the same numbers.
inline Draw draw_of(const RandomStream& r, uint64_t seed, uint64_t pass, uint64_t count) {
  return {r.seed.value_or(seed), r.stream, r.step.value_or(pass / r.parts), pass % r.parts * count};
}

}  // namespace hw
