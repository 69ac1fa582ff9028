// One matrix product of fixed sizes, f32 or bf16 factors, f32 sums, run by oneDNN on the calling thread alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "engine/core/dtype.h"

namespace hw::cpu {

/// This CPU has instructions for products of bf16 factors, and oneDNN may use them (ONEDNN_MAX_CPU_ISA): then they are
/// faster than products of the same numbers as f32. They take subnormal factors, below 2^-126, as 0.
bool multiplies_bf16();

/// c [n, m] = a · b, row major. transpose_a: a is [k, n]; transpose_b: b is [m, k].
struct GemmShape {
  int64_t n = 0, k = 0, m = 0;
  bool transpose_a = false, transpose_b = false;
};

class DnnlGemm {
 public:
  /// `factors`: f32 or bf16. `packs`: run() takes b as pack() lays it out, which is faster where many products have one
  /// b; `like`: packs it as that one does. Throws std::bad_alloc when oneDNN cannot make it.
  DnnlGemm(const GemmShape& shape, DType factors, bool packs = false, const DnnlGemm* like = nullptr);
  ~DnnlGemm();
  DnnlGemm(DnnlGemm&&) noexcept;

  size_t scratch_bytes() const { return scratch_bytes_; }
  size_t packed_bytes() const { return packed_bytes_; }
  /// Large ones on all threads of parallel_for.
  void pack(const void* b, void* packed) const;
  /// "oneDNN " and its own name of the implementation.
  const std::string& implementation() const { return implementation_; }
  /// Any thread, several at once, each with its own scratch (64-byte aligned).
  void run(const void* a, const void* b, float* c, std::byte* scratch) const;

 private:
  struct Primitive;
  GemmShape shape_;
  std::unique_ptr<Primitive> primitive_;  // null: the product is empty
  size_t scratch_bytes_ = 0, packed_bytes_ = 0;
  std::string implementation_;
};

/// While it lives, oneDNN starts no OpenMP threads from the calling thread: the engine's own pool is the only one.
class SingleThreadedDnnl {
 public:
  SingleThreadedDnnl();
  ~SingleThreadedDnnl();
  SingleThreadedDnnl(const SingleThreadedDnnl&) = delete;
  SingleThreadedDnnl& operator=(const SingleThreadedDnnl&) = delete;

 private:
  int before_;
};

}  // namespace hw::cpu
