#include "engine/gradient/grad_directions.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/core/parallel.h"
#include "engine/core/philox.h"

namespace hw {
namespace {

constexpr size_t kDirections = 16, kElements = 16;
constexpr size_t kChunk = 1 << 14;  // of elements that one thread fills

}  // namespace

Directions::Directions(const std::vector<double>& gradient, uint32_t stream, size_t all_up_to) : stream_(stream) {
  const size_t size = gradient.size();
  std::vector<int64_t> elements(size);
  std::iota(elements.begin(), elements.end(), int64_t{0});
  if (size > all_up_to) {
    for (uint64_t k = 0; k < kDirections; ++k) list_.push_back({-1, k});
    std::nth_element(elements.begin(), elements.begin() + kElements, elements.end(), [&](int64_t a, int64_t b) {
      return std::abs(gradient[static_cast<size_t>(a)]) > std::abs(gradient[static_cast<size_t>(b)]);
    });
    for (uint64_t k = kElements; k < 2 * kElements; ++k) {
      const uint64_t random = philox_block(2, stream, k, 0)[0];
      elements[k] = static_cast<int64_t>(random * static_cast<uint64_t>(size) >> 32);
    }
    elements.resize(2 * kElements);
  }
  for (const int64_t i : elements) list_.push_back({i});
}

void Directions::fill(const Direction& d, double factor, double* out, size_t size) const {
  if (d.index >= 0) {
    std::fill(out, out + size, 0.0);
    out[d.index] = factor;
    return;
  }
  parallel_for(static_cast<int64_t>((size + kChunk - 1) / kChunk), [&](int64_t chunk) {
    const auto begin = static_cast<size_t>(chunk) * kChunk, end = std::min(size, begin + kChunk);
    for (size_t i = begin; i < end; ++i) {
      const Philox4 r = philox_block(1, stream_, d.random, i / 4);
      out[i] = factor * (2 * static_cast<double>(uniform01(r[i % 4])) - 1);
    }
  });
}

}  // namespace hw
