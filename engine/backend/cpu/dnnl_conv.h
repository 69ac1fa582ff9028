// One convolution of fixed sizes, or one of its gradients: f32 or bf16 factors, f32 sums. Run by oneDNN on the calling
// thread alone.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "engine/program/image_attrs.h"

namespace hw::cpu {

/// x [N, C, H, W], weight [O, C / groups, kh, kw], y [N, O, H', W'].
struct ConvShape {
  Dims x, weight, y;
  ConvAttr attr;
  bool x_channels_last = false, y_channels_last = false;  // N H W C in memory; else row-major
};

/// oneDNN picks the memory layouts; pictures are reordered from and to those of ConvShape tile by tile, the weight (or
/// its gradient) stays in oneDNN's layout, "packed".
class DnnlConv {
 public:
  enum class Kind : uint8_t { forward, grad_input, grad_weight };

  /// `factors`: f32 or bf16. `like`: packs the weight as that one does. Throws std::bad_alloc when oneDNN cannot make
  /// it.
  DnnlConv(Kind kind, const ConvShape& shape, DType factors, const DnnlConv* like = nullptr);
  ~DnnlConv();
  DnnlConv(DnnlConv&&) noexcept;

  size_t scratch_bytes() const { return scratch_bytes_; }
  size_t packed_bytes() const { return packed_bytes_; }
  /// oneDNN's own name of the implementation.
  const std::string& implementation() const { return implementation_; }

  /// Between a row-major weight and the packed one: a factor, or the gradient in f32. One thread.
  void pack(const void* weight, void* packed) const;
  void unpack(const float* packed, float* weight) const;

  /// forward: (x, packed weight) → y; grad_input: (g, packed weight) → dx; grad_weight: (x, g) → packed gradient.
  /// Any thread, several at once, each with its own scratch (64-byte aligned).
  void run(const void* a, const void* b, float* out, std::byte* scratch) const;

 private:
  struct Primitive;
  std::unique_ptr<Primitive> p_;
  size_t scratch_bytes_ = 0, packed_bytes_ = 0;
  std::string implementation_;
};

}  // namespace hw::cpu
