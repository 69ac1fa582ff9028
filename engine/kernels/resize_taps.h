// Where the elements of a resized axis come from.
#pragma once

#include <algorithm>
#include <vector>

#include "engine/program/image_attrs.h"

namespace hw::kernels {

/// One element: (1 − weight) · x[low] + weight · x[high].
struct ResizeTap {
  int64_t low, high;
  double weight;
};

/// The taps of each of `out` elements of an axis that had `in`; the formulas stand at ResizeAttr.
inline std::vector<ResizeTap> resize_taps(const ResizeAttr& a, int64_t in, int64_t out) {
  std::vector<ResizeTap> taps;
  for (int64_t i = 0; i < out; ++i) {
    if (a.kind == ResizeAttr::Kind::nearest) {
      taps.push_back({i * in / out, i * in / out, 0});
      continue;
    }
    double at = (static_cast<double>(i) + 0.5) * static_cast<double>(in) / static_cast<double>(out) - 0.5;
    if (a.align_corners)
      at = out > 1 ? static_cast<double>(i) * static_cast<double>(in - 1) / static_cast<double>(out - 1) : 0.0;
    at = std::max(at, 0.0);
    const int64_t low = std::min(static_cast<int64_t>(at), in - 1);
    taps.push_back({low, std::min(low + 1, in - 1), at - static_cast<double>(low)});
  }
  return taps;
}

}  // namespace hw::kernels
