// Driver: the few operations that a back end needs from a GPU. The real one calls CUDA; tests have one in host memory,
// so that everything above it runs where there is no GPU.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/backend/backend.h"
#include "engine/backend/gpu/conv_shape.h"
#include "engine/backend/gpu/regions.h"
#include "engine/core/codes.h"

namespace hw::gpu {

/// What changes from step to step, in device memory: kernels read it there, so that a step can be replayed.
struct StepData {
  uint64_t seed = 0, step = 0;
  double learning_rate = 0;
  double update = 0;  // 0-based count of updates
  int32_t starts_sums = 0;
};

/// C = op(A) · op(B), `batch` times, row major: op(A) [n, k], op(B) [k, m], C [n, m]. Steps between matrices are in
/// elements; 0: the same matrix each time. `operand`: f64, f32, tf32 (f32 memory that holds tf32 numbers), f16, bf16,
/// f8e4m3. `result`: f64 for f64, else f32 or the operand's. Accumulates in f32 (f64).
struct Gemm {
  DType operand = DType::f32, result = DType::f32;
  bool transpose_a = false, transpose_b = false;  // A is stored [k, n], B [m, k]
  int64_t n = 0, k = 0, m = 0, batch = 1;
  const void *a = nullptr, *b = nullptr;
  void* c = nullptr;
  int64_t step_a = 0, step_b = 0, step_c = 0;
  /// One number for each column, of the result's dtype, is added to every row; null: nothing.
  const void* bias = nullptr;
  /// There may be a bias: with one and without, products are summed alike.
  bool takes_bias = false;
  /// [n, m] in the result's dtype, added to each C where `adds_matrix`; null: nothing. With it and without, products
  /// are summed alike.
  const void* matrix = nullptr;
  bool adds_matrix = false;
};

struct ProductCounts {
  size_t all = 0, plain = 0;
};

class Driver;
/// One piece of work on the device, asynchronous and in order. Pointers and sizes are fixed when it is made.
using Launch = std::function<Status(Driver&)>;

class OpContext;

/// A run of launches that a driver does again as a whole: a CUDA graph.
class Recording {
 public:
  virtual ~Recording() = default;
};

/// Copies from the host that run beside the work: see Driver::send.
class HostCopy {
 public:
  virtual ~HostCopy() = default;
};

/// Everything but transfers runs in order on one stream; one thread at a time. Errors: HW-R001 memory, HW-R005 with the
/// statement and the driver's message. What is asynchronous may report the failure of an earlier call.
class Driver {
 public:
  virtual ~Driver() = default;
  virtual std::string id() const = 0;           // "cuda:0"
  virtual std::string description() const = 0;  // "NVIDIA H200, 140 GiB, compute capability 9.0"
  /// What kernels report: "cuda sm_90".
  virtual std::string implementation() const = 0;
  /// What products report: "cuBLASLt sm_90". The few shapes that it has no kernel for are made by plain sums, which are
  /// of `implementation`.
  virtual std::string product_implementation() const = 0;
  /// How many products were asked for so far, and how many of them plain sums made.
  virtual ProductCounts products() const = 0;
  /// What it was asked for so far; what is recorded counts once. None: it does not count.
  virtual std::optional<DeviceWork> work() const { return {}; }
  /// Whether products take operands of this dtype.
  virtual bool multiplies(DType operand) const = 0;

  /// The memory of the GPU; `resident`: resident_bytes.
  virtual Result<DeviceMemory> memory() const = 0;
  virtual Result<void*> allocate(size_t bytes) = 0;
  virtual void release(void* memory) = 0;
  virtual Status upload(void* to, const void* from, size_t bytes) = 0;
  /// Waits for the copy.
  virtual Status download(void* to, const void* from, size_t bytes) = 0;
  virtual Status copy(void* to, const void* from, size_t bytes) = 0;
  virtual Status clear(void* memory, size_t bytes) = 0;
  virtual Status multiply(const Gemm& gemm) = 0;

  /// What convolutions by a library report: "cuDNN sm_90"; "": there is none, and all are made of products.
  virtual std::string convolution_implementation() const { return ""; }
  /// Scratch that the library's convolution takes; none: it has none of this kind that gives the same bits each time.
  virtual std::optional<size_t> convolution_bytes(const Convolution& convolution) const;
  /// Only where convolution_bytes says how much.
  virtual Status convolve(const Convolution& convolution);
  /// Waits for all work; the errors of all that was launched.
  virtual Status wait() = 0;

  /// Data sets of more bytes stay in host memory.
  virtual size_t resident_bytes() const = 0;
  /// Host memory that transfers read.
  virtual Result<void*> allocate_pinned(size_t bytes) = 0;
  virtual void release_pinned(void* memory) = 0;
  virtual Result<std::unique_ptr<HostCopy>> make_transfer() = 0;
  /// Copies while work runs. Until it has arrived neither side may be touched.
  virtual Status send(HostCopy& transfer, void* to, const void* pinned, size_t bytes) = 0;
  /// Work from here on comes after all that the transfer was given.
  virtual Status await(HostCopy& transfer) = 0;
  /// Waits, on the host, for all that the transfer was given.
  virtual Status arrive(HostCopy& transfer) = 0;

  /// What is launched, copied, cleared and multiplied from now on is not done but recorded, until end_recording.
  virtual Status begin_recording() = 0;
  /// In a recording: what is launched from here to the next call comes after all before it, in any order.
  virtual void begin_level() {}
  virtual Result<std::unique_ptr<Recording>> end_recording() = 0;
  virtual Status replay(Recording& recording) = 0;

  /// Remembers the time when the device gets here, at place `mark`.
  virtual Status set_mark(size_t mark) = 0;
  /// Between two marks that the device has passed. Waits for them.
  virtual double seconds_between(size_t from, size_t to) = 0;

  /// Whether it makes a kernel of a region: regions.h.
  virtual bool fuses_elementwise() const { return false; }
  /// The kernel of a region. Error: there is none, and the ops run one by one.
  virtual Result<Launch> plan_region(const Program& program, const Region& region, const RegionOperands& operands);
  /// The launches of an instruction, appended by `c`. Error HW-R002: there is no kernel.
  virtual Status plan(OpContext& c) = 0;
};

inline std::optional<size_t> Driver::convolution_bytes(const Convolution&) const {
  return {};
}
inline Result<Launch> Driver::plan_region(const Program&, const Region&, const RegionOperands&) {
  return Error{codes::unsupported, id(), "It has no kernels of several ops.", ""};
}
inline Status Driver::convolve(const Convolution&) {
  return Error{codes::unsupported, id(), "There is no library for convolutions.", "Choose the cpu device."};
}

}  // namespace hw::gpu
