// The three kinds of kernel the cpu device runs: on a tile of rows, reducing tiles, and on whole tensors.
// Kernels are made at compile time and hold no mutable state: one kernel runs on several threads at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "engine/backend/backend.h"
#include "engine/backend/cpu/simd/simd.h"
#include "engine/backend/plan/padded.h"
#include "engine/backend/rounding_losses.h"
#include "engine/core/huge_buffer.h"

namespace hw::cpu {

using plan::padded;

/// A value as a kernel sees it: `rows` rows of `row_elems` elements, row-major but for KernelContext::channels_last.
struct Operand {
  DType dtype = DType::f32;
  std::byte* data = nullptr;
  int64_t rows = 0;
  int64_t row_elems = 0;
  RoundingLosses* losses = nullptr;  // for an output that a probe observes: where store() adds its counts

  int64_t size() const { return rows * row_elems; }
  template <class T>
  T* as() const {
    return reinterpret_cast<T*>(data);
  }
};

/// Rounds `count` numbers into elements [first, …) of `out`. Rounding losses are counted where a probe observes
/// the output.
void store(const Operand& out, int64_t first, int64_t count, DType from, const void* numbers, bool saturate = false);

/// What store() counts, of numbers that were rounded to `stored` elsewhere.
void count_losses(RoundingLosses& losses, DType to, const void* stored, DType from, const void* numbers, int64_t count);

/// Called when elements [first, first + count) of an output are made, by several threads at once, a part each.
using PartMade = std::function<void(int64_t part, int64_t first, int64_t count)>;

/// One tile: rows [first_row, first_row + rows) of the segment. Operands that follow the rows point at the tile's first
/// row and have `rows` rows; the others are whole.
struct Tile {
  int64_t first_row = 0;
  int64_t rows = 0;
  const StepInputs* step = nullptr;
  std::byte* scratch = nullptr;    // scratch_bytes() of the kernel, 64-byte aligned, of this thread
  const PartMade* made = nullptr;  // by kernels with parts()

  /// What an op draws for this tile that draws `row_elems` numbers a row (points and samples: 1).
  Draw draw(const RandomStream& random, int64_t rows_in_all, int64_t row_elems) const {
    Draw d = draw_of(random, step->seed, step->step, static_cast<uint64_t>(rows_in_all * row_elems));
    d.first += static_cast<uint64_t>(first_row * row_elems);
    return d;
  }
};

/// Memory of a kernel: see KernelBase::take_memory.
class OwnBuffer {
 public:
  explicit OwnBuffer(size_t bytes) : bytes_(bytes) {}
  size_t bytes() const { return bytes_; }
  /// Throws std::bad_alloc.
  void take() { memory_ = HugeBuffer(bytes_); }
  std::byte* data() const { return memory_.data(); }

 private:
  size_t bytes_;
  HugeBuffer memory_;
};

class KernelBase {
 public:
  virtual ~KernelBase() = default;
  virtual size_t scratch_bytes() const { return 0; }
  /// Bytes of memory the kernel holds after take_memory(), which comes before it runs; what is only estimated takes
  /// none.
  virtual size_t own_bytes() const { return 0; }
  virtual void take_memory() {}
  KernelInfo kernel_info;
};

/// Computes a tile of every output. May run in place when in_place() says so.
class TileKernel : public KernelBase {
 public:
  virtual void run(const Tile& tile, const Operand* in, const Operand* out) const = 0;
  /// Called before the tiles of a run, on one thread, with the inputs as they are as a whole: of a run in which those
  /// that do not follow the rows may have changed, or of each.
  virtual void begin(const Operand* in) const { (void)in; }
  virtual bool begins_each_run() const { return false; }
  /// The number of parts in which it makes its output, on all threads: it calls Tile::made after each. 0: it never
  /// calls it. A kernel with parts has one tile.
  virtual int64_t parts() const { return 0; }
};

/// Sums over rows, a piece at a time: its tile is a piece (see pieces.h). A group of pieces has a partial
/// result of its own; finish adds the groups in order.
class ReductionKernel : public KernelBase {
 public:
  virtual size_t partial_bytes() const = 0;
  /// `first`: the partial holds nothing yet.
  virtual void run(const Tile& tile, const Operand* in, std::byte* partial, bool first) const = 0;
  /// `groups` partials, partial_bytes() apart. None: the sum is 0.
  virtual void finish(const std::byte* partials, int64_t groups, const Operand& out) const = 0;
};

/// What a whole kernel runs with.
struct WholeRun {
  const StepInputs& step;
  std::span<std::byte* const> scratch;  // by thread: scratch_bytes() of the kernel each, 64-byte aligned
};

/// Runs once a step on whole tensors, in parallel inside. The only kind that may have state.
class WholeKernel : public KernelBase {
 public:
  /// Once run.step.cancelled(), it may return before its outputs are made, where it neither keeps them nor writes
  /// states.
  virtual void run(const WholeRun& run, const Operand* in, const Operand* out) = 0;
  /// The outputs need memory of their own, zero at first and untouched between runs.
  virtual bool keeps_outputs() const { return false; }
  /// Set by the executable for an update whose gradient and touched mask have no other reader and whose maker keeps its
  /// outputs: leaves both 0, which spares the maker a pass over memory.
  bool clears_gradient = false;
};

/// What a kernel is made from.
struct KernelContext {
  const Program& program;
  const Instr& instr;
  const SimdTable& simd;
  int64_t rows;                            // of the whole segment
  int64_t tile_rows;                       // every tile but the last; of a reduction every piece
  const std::vector<bool>& channels_last;  // by ValueId; see channels_last.h
  int64_t tail_rows() const { return rows % tile_rows; }

  const Value& in(size_t k) const { return program[instr.in[k]]; }
  const Value& out(size_t k = 0) const { return program[instr.out[k]]; }
  template <class A>
  const A& attr() const {
    return *std::get_if<A>(&instr.attr);
  }
  /// Whether input k follows the segment's rows (see tiling.h).
  bool by_row(size_t k) const;
};

/// One of the three is set. None: no kernel for this op and dtype.
struct Kernel {
  std::unique_ptr<TileKernel> tile;
  std::unique_ptr<ReductionKernel> reduction;
  std::unique_ptr<WholeKernel> whole;

  KernelBase& base() const {
    if (tile) return *tile;
    if (reduction) return *reduction;
    return *whole;
  }
  explicit operator bool() const { return tile || reduction || whole; }
};

/// The kernel of an instruction; an empty one when there is none. Error HW-A003 from sample_surface.
Result<Kernel> make_kernel(const KernelContext& c);

// What the rows of ops.def name, one maker a family; see the files of the same names.
#define HW_CPU_tile(maker) std::unique_ptr<TileKernel> maker(const KernelContext& c);
#define HW_CPU_reduction(maker) std::unique_ptr<ReductionKernel> maker(const KernelContext& c);
#define HW_CPU_whole(maker) std::unique_ptr<WholeKernel> maker(const KernelContext& c);
#define HW_CPU_either(maker) Result<Kernel> maker(const KernelContext& c);
#define HW_OP(name, inputs, outputs, infer, adjoint, cpu, ...) HW_CPU_##cpu
#include "engine/program/ops.def"
#undef HW_CPU_tile
#undef HW_CPU_reduction
#undef HW_CPU_whole
#undef HW_CPU_either

/// "cpu avx512".
std::string implementation_name(const SimdTable& simd);
/// Storage, compute and accumulate of the cpu's own loops: f32, or f64 for f64.
KernelInfo own_kernel_info(const KernelContext& c, DType storage);

/// f64 for f64, else f32.
inline DType compute_dtype(DType storage) {
  return storage == DType::f64 ? DType::f64 : DType::f32;
}

}  // namespace hw::cpu
