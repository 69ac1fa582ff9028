// The convolution of one picture, cut into parts for all threads.
#pragma once

#include <vector>

#include "engine/backend/cpu/dnnl/dnnl_conv.h"
#include "engine/backend/cpu/kernels/kernel.h"

namespace hw::cpu {

/// Strips of rows; where there are few, parts of the output channels, so that no thread reads all weights. How many
/// follows from the thread count, which changes no bit: no part changes the order that a sum is added in.
class ConvParts {
 public:
  ConvParts() = default;
  /// `shape`: of one picture; `whole`: the same convolution, forward, in one piece. Empty where it is small, or oneDNN
  /// computes parts otherwise than the whole. Throws std::bad_alloc.
  ConvParts(const ConvShape& shape, DType factors, bool bias, const DnnlConv& whole);

  bool empty() const { return parts_.empty(); }
  /// Neighbours in memory are made by one part: strips of rows.
  bool are_strips() const { return !empty() && !of_channels_; }
  int64_t count() const { return static_cast<int64_t>(parts_.size()); }
  size_t scratch_bytes() const { return parts_.size() * scratch_; }
  size_t packed_bytes() const { return packed_bytes_; }
  /// The row-major weight, in factors.
  void pack(const void* weight, std::byte* packed) const;
  /// Pictures channels last. On all threads of parallel_for. `made`: null, or called after each strip.
  void run(const void* x, const std::byte* packed, float* y, const float* bias, std::byte* scratch,
           const PartMade* made) const;

 private:
  struct Part {
    DnnlConv conv;
    int64_t x_at = 0, y_at = 0;           // elements of the pictures
    int64_t y_count = 0;                  // that it computes
    int64_t channel = 0;                  // the first one that it computes
    size_t weight_at = 0, packed_at = 0;  // bytes
  };
  bool add(const ConvShape& shape, const DnnlConv& whole, int64_t x_at, int64_t y_at, int64_t channel);
  void make_strips(int64_t count, const DnnlConv& whole);
  void make_channel_parts(int64_t count, const DnnlConv& whole);

  ConvShape shape_;
  DType factors_ = DType::f32;
  bool bias_ = false;
  bool of_channels_ = false;  // else strips, which share the whole's packed weight
  std::vector<Part> parts_;
  size_t scratch_ = 0, packed_bytes_ = 0;  // scratch of each part
};

}  // namespace hw::cpu
