// OpContext: what the launches of one instruction are made from: its operands in device memory, scratch, constants.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "engine/backend/gpu/driver.h"
#include "engine/kernels/stored.h"
#include "engine/program/product_bias.h"

namespace hw::gpu {

/// Writes what a step reads from the host, into pinned memory; called before the step, one at a time.
using FillBatch = std::function<void(std::byte* to, const StepInputs& step)>;

/// Where an executable keeps what its kernels need. Null pointers while the sizes are found out.
class OpMemory {
 public:
  virtual ~OpMemory() = default;
  virtual void* value(ValueId v) = 0;
  /// `bytes` at `offset` of the instruction's own scratch, which others may overwrite before and after its launches.
  virtual void* scratch(size_t offset, size_t bytes) = 0;
  /// A copy in device memory that stays for as long as the executable.
  virtual Result<const void*> constant(const void* data, size_t bytes) = 0;
  virtual const StepData* step() = 0;
  /// Data sets of more bytes stay on the host.
  virtual size_t resident_bytes() const { return ~size_t{0}; }
  /// Device memory that holds `bytes` anew for every step.
  virtual Result<const void*> from_host(size_t bytes, FillBatch fill) = 0;
};

inline constexpr size_t kAlignment = 256;  // of scratch and values, in bytes
inline size_t aligned(size_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

class OpContext {
 public:
  OpContext(const Program& program, const Instr& instr, OpMemory& memory) : p_(program), i_(instr), memory_(memory) {
    const DType storage = p_[i_.out.empty() ? i_.in[0] : i_.out[0]].dtype;
    info = {storage, compute(), compute(), ""};
    if (has_bias(i_)) set_bias(memory_.value(i_.in[2]), true);
  }

  Op op() const { return i_.op; }
  size_t inputs() const { return i_.in.size(); }
  const Value& in(size_t k) const { return p_[i_.in[k]]; }
  const Value& out(size_t k = 0) const { return p_[i_.out[k]]; }
  int64_t in_size(size_t k) const { return element_count(in(k).dims); }
  int64_t out_size(size_t k = 0) const { return element_count(out(k).dims); }
  kernels::Source read(size_t k) const { return {in(k).dtype, memory_.value(i_.in[k])}; }
  kernels::Target write(size_t k = 0) const { return {out(k).dtype, memory_.value(i_.out[k])}; }
  /// An input that the op changes.
  kernels::Target change(size_t k) const { return {in(k).dtype, memory_.value(i_.in[k])}; }
  bool same_value(size_t a, size_t b) const { return i_.in[a] == i_.in[b]; }
  template <class A>
  const A& attr() const {
    return *std::get_if<A>(&i_.attr);
  }
  const Attr& any_attr() const { return i_.attr; }
  /// What an op computes in, unless its planner says otherwise: f64 where any float among its operands is f64, else
  /// f32.
  DType compute() const {
    for (const auto* list : {&i_.in, &i_.out})
      for (ValueId v : *list)
        if (p_[v].dtype == DType::f64) return DType::f64;
    return DType::f32;
  }
  const StepData* step() const { return memory_.step(); }

  /// Uninitialised; for the launches of this instruction.
  template <class T>
  T* scratch(int64_t count) {
    const size_t bytes = aligned(static_cast<size_t>(count > 0 ? count : 1) * sizeof(T)), at = scratch_bytes_;
    scratch_bytes_ += bytes;
    return static_cast<T*>(memory_.scratch(at, bytes));
  }
  size_t scratch_bytes() const { return scratch_bytes_; }
  template <class T>
  const T* constant(const T* data, size_t count) {
    auto made = memory_.constant(data, count * sizeof(T));
    if (made) return static_cast<const T*>(*made);
    fail(made.error());
    return nullptr;
  }
  template <class T>
  const T* constant(const std::vector<T>& data) {
    return constant(data.data(), data.size());
  }

  /// The bias that a product takes, in the runs in which it does, in the dtype of its output.
  void set_bias(const void* bias, bool added) {
    bias_ = added ? bias : nullptr;
    takes_bias_ = true;
  }
  const void* bias() const { return bias_; }
  bool takes_bias() const { return takes_bias_; }
  size_t resident_bytes() const { return memory_.resident_bytes(); }
  const std::byte* from_host(size_t bytes, FillBatch fill) {
    auto made = memory_.from_host(bytes, std::move(fill));
    if (made) return static_cast<const std::byte*>(*made);
    fail(made.error());
    return nullptr;
  }

  void add(Launch launch) { (looks_ ? look_launches_ : launches_).push_back(std::move(launch)); }
  /// What `f` adds runs only where a probe looks, after everything else. It returns the device memory of the three
  /// counts of RoundingLosses for output 0.
  template <class F>
  void when_looked_at(F f) {
    looks_ = true;
    losses_ = f();
    looks_ = false;
  }
  void clear(void* memory, size_t bytes) {
    if (bytes > 0) add([=](Driver& d) { return d.clear(memory, bytes); });
  }
  void copy(void* to, const void* from, size_t bytes) {
    if (bytes > 0 && (to != from || !to)) add([=](Driver& d) { return d.copy(to, from, bytes); });
  }
  void multiply(const Gemm& gemm) {
    add([=](Driver& d) { return d.multiply(gemm); });
  }
  /// The first of several failures stays.
  void fail(Error error) {
    if (!error_) error_ = std::move(error);
  }
  Status status() const { return error_ ? Status(*error_) : ok(); }
  std::vector<Launch> take_launches() { return std::move(launches_); }
  std::vector<Launch> take_look_launches() { return std::move(look_launches_); }
  /// Null: no rounding is seen.
  const double* losses() const { return losses_; }

  KernelInfo info;

 private:
  const Program& p_;
  const Instr& i_;
  OpMemory& memory_;
  const void* bias_ = nullptr;
  bool takes_bias_ = false;
  size_t scratch_bytes_ = 0;
  bool looks_ = false;
  const double* losses_ = nullptr;
  std::vector<Launch> launches_, look_launches_;
  std::optional<Error> error_;
};

}  // namespace hw::gpu
