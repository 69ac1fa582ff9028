// One convolution of fixed sizes, or one of its gradients: f32 or bf16 factors, f32 sums. Run by oneDNN on the calling
// thread alone.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "engine/backend/cpu/simd/simd.h"
#include "engine/program/image_attrs.h"

namespace hw::cpu {

/// x [N, C, H, W], weight [O, C / groups, kh, kw], y [N, O, H', W'].
struct ConvShape {
  Dims x, weight, y;
  ConvAttr attr;
  bool x_channels_last = false, y_channels_last = false;  // N H W C in memory; else row-major
  const SimdTable* simd = nullptr;                        // of the device; never null
};

/// Computes on pictures channels last, whatever ConvShape says, so that the layout around it changes no bit: others are
/// reordered tile by tile. Where oneDNN has only its reference for that, it picks the layouts. The weight (or its
/// gradient) stays in oneDNN's layout, "packed".
class DnnlConv {
 public:
  enum class Kind : uint8_t { forward, grad_input, grad_weight };

  /// `factors`: f32 or bf16. `bias`: forward adds one to each output channel. `like`: packs the weight as that one
  /// does. Throws std::bad_alloc when oneDNN cannot make it.
  DnnlConv(Kind kind, const ConvShape& shape, DType factors, bool bias = false, const DnnlConv* like = nullptr);
  ~DnnlConv();
  DnnlConv(DnnlConv&&) noexcept;

  size_t scratch_bytes() const { return scratch_bytes_; }
  size_t packed_bytes() const { return packed_bytes_; }
  /// Whether both lay out the weight alike.
  bool packs_as(const DnnlConv& other) const;
  /// "oneDNN " and its own name of the implementation.
  const std::string& implementation() const { return implementation_; }

  /// Between a row-major weight and the packed one: a factor, or the gradient in f32. Large ones on all threads of
  /// parallel_for.
  void pack(const void* weight, void* packed) const;
  void unpack(const float* packed, float* weight) const;

  /// forward: (x, packed weight) → y; grad_input: (g, packed weight) → dx; grad_weight: (x, g) → packed gradient.
  /// Any thread, several at once, each with its own scratch (64-byte aligned). `bias`: f32, of forward with one.
  void run(const void* a, const void* b, float* out, std::byte* scratch, const float* bias = nullptr) const;

  /// The parts of run() for forward and grad_input: the picture in the layout computed in, in scratch where it is
  /// another; the convolution; the result where run() puts it. `native_out`: `out` itself, or where in scratch it is
  /// computed.
  const void* enter(const void* a, std::byte* scratch) const;
  float* native_out(float* out, std::byte* scratch) const;
  void compute(const void* native_a, const void* b, float* native_out, std::byte* scratch, const float* bias) const;
  void leave(const float* native_out, float* out) const;
  /// Whether native_out() is `out` itself.
  bool computes_in_place() const;
  /// Whether both pictures are computed channels last.
  bool computes_channels_last() const { return computes_channels_last_; }

 private:
  void make(Kind kind, const ConvShape& shape, DType factors, bool bias, const DnnlConv* like);

  struct Primitive;
  std::unique_ptr<Primitive> p_;
  size_t scratch_bytes_ = 0, packed_bytes_ = 0;
  bool computes_channels_last_ = true;
  std::string implementation_;
};

}  // namespace hw::cpu
