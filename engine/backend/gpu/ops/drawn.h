// Drawn: the random numbers of an op, found on the device from the step's numbers there.
#pragma once

#include "engine/backend/gpu/op_context.h"
#include "engine/core/philox.h"

namespace hw::gpu {

/// An op's draw of `size` elements. An item of a launch is a block of four numbers that one Philox call makes; a draw
/// that begins within a block has one block more.
struct Drawn {
  uint32_t stream;
  bool has_seed, has_step;
  uint64_t seed, step, parts;
  int64_t size;
  const StepData* run;

  /// draw_of, whose std::optional is not for devices.
  HW_BODY Draw draw() const {
    return {has_seed ? seed : run->seed, stream, has_step ? step : run->step / parts,
            run->step % parts * static_cast<uint64_t>(size)};
  }
  int64_t blocks() const { return size == 0 ? 0 : (size + 3) / 4 + (parts > 1 ? 1 : 0); }

  /// f(i, word) for each element i of the draw in a block.
  template <class F>
  HW_BODY void each_of(int64_t block, const F& f) const {
    const Draw d = draw();
    const uint64_t at = d.first / 4 + static_cast<uint64_t>(block);
    const auto begin = static_cast<int64_t>(4 * at - d.first);
    const Philox4 words = philox_block(d.seed, d.stream, d.step, at);
    for (int64_t k = 0; k < 4; ++k)
      if (has(begin + k)) f(begin + k, words[static_cast<size_t>(k)]);
  }
  /// f(i, whether the draw has i, whether it has i + 1, both words) for the two pairs of a block.
  template <class F>
  HW_BODY void each_pair_of(int64_t block, const F& f) const {
    const Draw d = draw();
    const uint64_t at = d.first / 4 + static_cast<uint64_t>(block);
    const auto begin = static_cast<int64_t>(4 * at - d.first);
    const Philox4 words = philox_block(d.seed, d.stream, d.step, at);
    for (int64_t k = 0; k < 4; k += 2)
      if (has(begin + k) || has(begin + k + 1))
        f(begin + k, has(begin + k), has(begin + k + 1), words[static_cast<size_t>(k)],
          words[static_cast<size_t>(k + 1)]);
  }
  /// Block `i` of an op that takes a whole one for each element.
  HW_BODY Philox4 block(int64_t i) const {
    const Draw d = draw();
    return philox_block(d.seed, d.stream, d.step, d.first + static_cast<uint64_t>(i));
  }

 private:
  HW_BODY bool has(int64_t i) const { return i >= 0 && i < size; }
};

inline Drawn make_drawn(OpContext& c, const RandomStream& r, int64_t size) {
  return {r.stream, r.seed.has_value(), r.step.has_value(), r.seed.value_or(0), r.step.value_or(0), r.parts, size,
          c.step()};
}

}  // namespace hw::gpu
