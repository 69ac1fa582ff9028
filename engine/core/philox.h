// Philox4x32-10 (Salmon et al., SC 2011): counter-based random numbers, equal on every device and thread count.
#pragma once

#include <array>
#include <cstdint>

#include "engine/core/compat.h"

namespace hw {

using Philox4 = std::array<uint32_t, 4>;

/// Ten rounds of Philox4x32 on (counter, key).
HW_HD inline Philox4 philox4x32_10(Philox4 c, uint32_t k0, uint32_t k1) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t p0 = uint64_t{0xD2511F53u} * c[0];
    const uint64_t p1 = uint64_t{0xCD9E8D57u} * c[2];
    c = {static_cast<uint32_t>(p1 >> 32) ^ c[1] ^ k0, static_cast<uint32_t>(p1),
         static_cast<uint32_t>(p0 >> 32) ^ c[3] ^ k1, static_cast<uint32_t>(p0)};
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return c;
}

/// A random stream of the product: (seed, node, step) fixed, `index` counts blocks of four numbers.
/// `node` is a stable hash of the node id (see stream_of in program.h).
HW_HD inline Philox4 philox_block(uint64_t seed, uint32_t node, uint64_t step, uint64_t index) {
  return philox4x32_10(
      {static_cast<uint32_t>(index), static_cast<uint32_t>(index >> 32) ^ static_cast<uint32_t>(step >> 32), node,
       static_cast<uint32_t>(step)},
      static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32));
}

/// Uniform in [0, 1): the top 24 bits.
HW_HD inline float uniform01(uint32_t bits) {
  return static_cast<float>(bits >> 8) * (1.0f / 16777216.0f);
}

}  // namespace hw
