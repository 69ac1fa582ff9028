// Which kernel runs an op.
#include "engine/backend/cpu/kernels/kernel.h"
#include "engine/backend/cpu/kernels/row_major.h"
#include "engine/program/tiling.h"

namespace hw::cpu {
namespace {

using Maker = Result<Kernel> (*)(const KernelContext&);

template <auto make>
Result<Kernel> tile(const KernelContext& c) {
  Kernel kernel;
  kernel.tile = make(c);
  return kernel;
}

template <auto make>
Result<Kernel> reduction(const KernelContext& c) {
  Kernel kernel;
  kernel.reduction = make(c);
  return kernel;
}

template <auto make>
Result<Kernel> whole(const KernelContext& c) {
  Kernel kernel;
  kernel.whole = make(c);
  return kernel;
}

constexpr Maker kMakers[] = {
#define HW_CPU_tile(maker) tile<maker>
#define HW_CPU_reduction(maker) reduction<maker>
#define HW_CPU_whole(maker) whole<maker>
#define HW_CPU_either(maker) maker
#define HW_OP(name, inputs, outputs, infer, adjoint, cpu, ...) HW_CPU_##cpu,
#include "engine/program/ops.def"
};

}  // namespace

bool KernelContext::by_row(size_t k) const {
  return follows_rows(program, instr, k);
}

std::string implementation_name(const SimdTable& simd) {
  return "cpu " + std::string(name(simd.isa));
}

KernelInfo own_kernel_info(const KernelContext& c, DType storage) {
  const DType compute = compute_dtype(storage);
  return {storage, compute, compute, implementation_name(c.simd)};
}

Result<Kernel> make_kernel(const KernelContext& c) {
  HW_TRY(Kernel kernel, kMakers[static_cast<size_t>(c.instr.op)](c));
  return as_row_major(std::move(kernel), c);
}

}  // namespace hw::cpu
