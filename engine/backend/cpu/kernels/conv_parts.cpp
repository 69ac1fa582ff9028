#include "engine/backend/cpu/kernels/conv_parts.h"

#include <algorithm>
#include <cstring>

#include "engine/backend/cpu/dnnl/dnnl_gemm.h"
#include "engine/core/parallel.h"

namespace hw::cpu {
namespace {

/// About how long it takes, as multiplications of a dense convolution: where each channel is by itself, one takes
/// longer.
int64_t products(const ConvShape& s) {
  constexpr int64_t kAlone = 8;
  const int64_t of_output = element_count(s.weight) / std::max<int64_t>(s.weight[0], 1);
  return element_count(s.y) * of_output * (s.weight[1] == 1 ? kAlone : 1);
}

}  // namespace

ConvParts::ConvParts(const ConvShape& shape, DType factors, bool bias, const DnnlConv& whole)
    : shape_(shape), factors_(factors), bias_(bias) {
  constexpr int64_t kLeastProducts = int64_t{1} << 20, kFewRows = 4, kChannels = 64;
  const int64_t threads = thread_count(), rows = shape.y[2];
  if (threads == 1 || rows == 0 || !whole.computes_channels_last() || products(shape) < kLeastProducts) return;
  shape_.x_channels_last = shape_.y_channels_last = true;
  of_channels_ = rows < kFewRows * threads && rows % threads != 0 && shape.attr.groups == 1 &&
                 shape.weight[0] % (kChannels * threads) == 0;
  if (of_channels_)
    make_channel_parts(threads, whole);
  else
    make_strips(std::min(threads, rows), whole);
}

bool ConvParts::add(const ConvShape& shape, const DnnlConv& whole, int64_t x_at, int64_t y_at, int64_t channel) {
  Part part{DnnlConv(DnnlConv::Kind::forward, shape, factors_, bias_, of_channels_ ? nullptr : &whole), x_at, y_at,
            element_count(shape.y), channel};
  if (part.conv.implementation() != whole.implementation() || !part.conv.computes_channels_last()) {
    parts_.clear();
    return false;
  }
  const int64_t of_channel = element_count(shape.weight) / shape.weight[0];
  part.weight_at = static_cast<size_t>(channel * of_channel) * size_of(factors_);
  part.packed_at = of_channels_ ? packed_bytes_ : 0;
  packed_bytes_ = part.packed_at + padded(part.conv.packed_bytes());
  const size_t result = of_channels_ ? static_cast<size_t>(element_count(shape.y)) * sizeof(float) : 0;
  scratch_ = std::max(scratch_, padded(part.conv.scratch_bytes()) + padded(result));
  parts_.push_back(std::move(part));
  return true;
}

void ConvParts::make_strips(int64_t count, const DnnlConv& whole) {
  const ConvAttr& a = shape_.attr;
  const int64_t rows = shape_.y[2], taps = (shape_.weight[2] - 1) * a.dilation[0] + 1;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t first = i * rows / count, end = (i + 1) * rows / count;
    const int64_t from = first * a.stride[0] - a.pad_begin[0], to = (end - 1) * a.stride[0] - a.pad_begin[0] + taps;
    const int64_t x_first = std::max<int64_t>(from, 0), x_end = std::min(to, shape_.x[2]);
    if (x_first >= x_end) return parts_.clear();  // nothing but padding
    ConvShape s = shape_;
    s.x[2] = x_end - x_first;
    s.y[2] = end - first;
    s.attr.pad_begin[0] = x_first - from;
    s.attr.pad_end[0] = to - x_end;
    if (!add(s, whole, x_first * s.x[3] * s.x[1], first * s.y[3] * s.y[1], 0)) return;
  }
}

void ConvParts::make_channel_parts(int64_t count, const DnnlConv& whole) {
  for (int64_t i = 0; i < count; ++i) {
    ConvShape s = shape_;
    s.weight[0] = s.y[1] = shape_.y[1] / count;
    if (!add(s, whole, 0, i * s.y[1], i * s.y[1])) return;
  }
}

void ConvParts::pack(const void* weight, std::byte* packed) const {
  if (!of_channels_) return parts_[0].conv.pack(weight, packed);
  for (const Part& part : parts_)
    part.conv.pack(static_cast<const std::byte*>(weight) + part.weight_at, packed + part.packed_at);
}

void ConvParts::run(const void* x, const std::byte* packed, float* y, const float* bias, std::byte* scratch,
                    const PartMade* made) const {
  parallel_for(static_cast<int64_t>(parts_.size()), [&](int64_t i) {
    const SingleThreadedDnnl single;
    const Part& part = parts_[static_cast<size_t>(i)];
    const auto* from = static_cast<const std::byte*>(x) + static_cast<size_t>(part.x_at) * size_of(factors_);
    std::byte* own = scratch + static_cast<size_t>(i) * scratch_;
    auto* result = of_channels_ ? reinterpret_cast<float*>(own + padded(part.conv.scratch_bytes())) : y + part.y_at;
    part.conv.compute(from, packed + part.packed_at, result, own, bias ? bias + part.channel : nullptr);
    if (!of_channels_) {
      if (made) (*made)(i, part.y_at, part.y_count);
      return;
    }
    const int64_t all = shape_.y[1], channels = all / static_cast<int64_t>(parts_.size());
    for (int64_t pixel = 0; pixel < shape_.y[2] * shape_.y[3]; ++pixel)
      std::memcpy(y + pixel * all + part.y_at, result + pixel * channels,
                  static_cast<size_t>(channels) * sizeof(float));
  });
}

}  // namespace hw::cpu
