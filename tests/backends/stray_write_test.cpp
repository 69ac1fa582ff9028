// Kernels write their outputs and nothing beside them: buffers between sentinels, tile by tile, sums piece by piece.
#include <cstring>

#include "engine/backend/cpu/dnnl/dnnl_gemm.h"
#include "engine/backend/cpu/kernels/cpu_tiling.h"
#include "engine/backend/cpu/kernels/kernel.h"
#include "engine/backend/cpu/kernels/pieces.h"
#include "engine/backend/cpu/runtime/schedule.h"
#include "engine/devices/devices.h"
#include "op_cases.h"

namespace hw::test {
namespace {

constexpr size_t kGuard = 256;
constexpr auto kMark = std::byte{0xA5};

// Memory between two runs of sentinels.
class Guarded {
 public:
  explicit Guarded(size_t bytes) : bytes_(bytes), all_(bytes + 2 * kGuard + 64, kMark) {
    const auto address = reinterpret_cast<uintptr_t>(all_.data()) + kGuard;
    begin_ = all_.data() + kGuard + (64 - address % 64) % 64;
    std::memset(begin_, 0, bytes);
  }
  std::byte* data() const { return begin_; }
  bool intact() const {
    for (const std::byte* p = all_.data(); p < all_.data() + all_.size(); ++p)
      if ((p < begin_ || p >= begin_ + bytes_) && *p != kMark) return false;
    return true;
  }

 private:
  size_t bytes_;
  std::vector<std::byte> all_;
  std::byte* begin_;
};

size_t bytes_of(const Value& v) {
  return byte_count(v.dtype, element_count(v.dims));
}

/// The elements of a tensor as they lie in memory; those of [N, C, H, W] as N H W C where `channels_last`.
std::vector<std::byte> in_memory(const Tensor& t, bool channels_last) {
  std::vector<std::byte> all(t.bytes());
  if (all.empty()) return all;
  std::memcpy(all.data(), t.data(), all.size());
  if (!channels_last || t.dims().size() != 4) return all;
  const size_t bytes = size_of(t.dtype());
  const auto pixels = static_cast<size_t>(t.dims()[2] * t.dims()[3]), channels = static_cast<size_t>(t.dims()[1]);
  const auto* from = reinterpret_cast<const std::byte*>(t.data());
  std::byte* to = all.data();
  for (int64_t n = 0; n < t.dims()[0]; ++n, from += pixels * channels * bytes)
    for (size_t pixel = 0; pixel < pixels; ++pixel)
      for (size_t c = 0; c < channels; ++c, to += bytes) std::memcpy(to, from + (c * pixels + pixel) * bytes, bytes);
  return all;
}

class Harness {
 public:
  explicit Harness(const CaseProgram& c, const cpu::SimdTable& simd, bool channels_last = false)
      : c_(c), p_(*c.program), instr_(p_.instrs[0]), channels_last_(p_.values.size(), channels_last) {
    step_ = cpu::schedule(p_)[0];
    if (cpu::cpu_tile_rule(p_, instr_).tiling == Tiling::reduction) {
      pieces_ = cpu::reduction_pieces(p_, instr_);
      step_.tile_rows = std::clamp<int64_t>(step_.rows, 1, pieces_.rows);
    }
    auto made = cpu::make_kernel({p_, instr_, simd, step_.rows, step_.tile_rows, channels_last_});
    EXPECT_TRUE(made);
    kernel_ = std::move(*made);
    kernel_.base().take_memory();
    scratch_ = std::make_unique<Guarded>(kernel_.base().scratch_bytes());
    for (size_t k = 0; k < c.in.size(); ++k) {
      const std::vector<std::byte> bytes = in_memory(c.values[k], channels_last);
      in_.push_back(std::make_unique<Guarded>(bytes.size()));
      if (!bytes.empty()) std::memcpy(in_.back()->data(), bytes.data(), bytes.size());
    }
    for (ValueId v : instr_.out) out_.push_back(std::make_unique<Guarded>(bytes_of(p_[v])));
    inputs_.seed = 5;
    inputs_.step = 3;
    inputs_.learning_rate = 0.01;
  }

  void run() {
    const cpu::SingleThreadedDnnl single;  // as a device runs it: threads of oneDNN's own would add up in parts
    if (kernel_.whole) {
      std::byte* const scratch = scratch_->data();
      return kernel_.whole->run({inputs_, {&scratch, 1}}, operands(true, -1).data(), operands(false, -1).data());
    }
    const int64_t groups = kernel_.reduction ? pieces_.groups(step_.rows) : 0;
    Guarded partials(kernel_.reduction ? kernel_.reduction->partial_bytes() * static_cast<size_t>(groups) : 0);
    if (kernel_.tile && step_.rows > 0) kernel_.tile->begin(operands(true, -1).data());
    for (int64_t first = 0; first < step_.rows; first += step_.tile_rows) {
      const cpu::Tile tile{first, std::min(step_.tile_rows, step_.rows - first), &inputs_, scratch_->data()};
      if (kernel_.tile) {
        kernel_.tile->run(tile, operands(true, first).data(), operands(false, first).data());
        continue;
      }
      const auto group = static_cast<size_t>(first / pieces_.group_rows);
      kernel_.reduction->run(tile, operands(true, first).data(),
                             partials.data() + group * kernel_.reduction->partial_bytes(),
                             first % pieces_.group_rows == 0);
    }
    if (kernel_.reduction) kernel_.reduction->finish(partials.data(), groups, operands(false, -1)[0]);
    EXPECT_TRUE(partials.intact()) << "partials";
  }

  bool intact() const {
    bool all = scratch_->intact();
    for (const auto& g : in_) all = all && g->intact();
    for (const auto& g : out_) all = all && g->intact();
    return all;
  }
  bool equals(const std::vector<Tensor>& expected) const {
    for (size_t k = 0; k < out_.size(); ++k) {
      const std::vector<std::byte> bytes = in_memory(expected[k], !channels_last_.empty() && channels_last_[0]);
      if (!bytes.empty() && std::memcmp(out_[k]->data(), bytes.data(), bytes.size()) != 0) return false;
    }
    return true;
  }

 private:
  // At the tile of row `first`; −1: whole tensors.
  std::vector<cpu::Operand> operands(bool inputs, int64_t first) const {
    std::vector<cpu::Operand> all;
    const auto& ids = inputs ? instr_.in : instr_.out;
    for (size_t k = 0; k < ids.size(); ++k) {
      const Value& v = p_[ids[k]];
      const bool follows = first >= 0 && (inputs ? follows_rows(p_, instr_, k) : true);
      const int64_t rows = follows ? step_.rows : first >= 0 || v.dims.empty() ? 1 : v.dims[0];
      cpu::Operand o{v.dtype, (inputs ? in_ : out_)[k]->data(), rows, rows > 0 ? element_count(v.dims) / rows : 0};
      if (follows) {
        o.data += static_cast<size_t>(first * o.row_elems) * size_of(v.dtype);
        o.rows = std::min(step_.tile_rows, step_.rows - first);
      }
      all.push_back(o);
    }
    return all;
  }

  const CaseProgram& c_;
  const Program& p_;
  const Instr& instr_;
  const std::vector<bool> channels_last_;
  cpu::Step step_;
  cpu::ReductionPieces pieces_;
  cpu::Kernel kernel_;
  StepInputs inputs_;
  std::unique_ptr<Guarded> scratch_;
  std::vector<std::unique_ptr<Guarded>> in_, out_;
};

TEST(CpuKernels, write_their_outputs_and_nothing_else) {
  const auto cpu = *make_device("cpu");
  for (Isa isa : {Isa::scalar, detected_isa()})
    for (const OpCase& c : op_cases())
      for (DType dtype : kComputeDTypes) {
        const CaseProgram p = case_program(c, dtype);
        Harness harness(p, cpu::simd_table(isa));
        harness.run();
        const std::string what = std::string(info(c.op).name) + " (" + c.name + ") in " + std::string(name(dtype));
        EXPECT_TRUE(harness.intact()) << what;
        if (!p.program->instrs[0].out.empty()) {
          EXPECT_TRUE(harness.equals(run_case(p, *cpu))) << what;
        }
      }
}

TEST(CpuKernels, of_pools_channels_last_write_their_outputs_and_nothing_else) {
  const auto cpu = *make_device("cpu");
  for (const OpCase& c : op_cases()) {
    if (!std::string_view(info(c.op).name).ends_with("_pool") &&
        !std::string_view(info(c.op).name).ends_with("_pool_grad"))
      continue;
    for (DType dtype : kComputeDTypes) {
      const CaseProgram p = case_program(c, dtype);
      Harness harness(p, cpu::simd_table(detected_isa()), true);
      harness.run();
      const std::string what = std::string(info(c.op).name) + " (" + c.name + ") in " + std::string(name(dtype));
      EXPECT_TRUE(harness.intact()) << what;
      EXPECT_TRUE(harness.equals(run_case(p, *cpu))) << what;
    }
  }
}

}  // namespace
}  // namespace hw::test
