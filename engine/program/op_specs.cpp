// The table of ops, from ops.def.
#include "engine/program/adjoint_rules.h"
#include "engine/program/infer_rules.h"
#include "engine/program/op_spec.h"
#include "engine/program/product_bias.h"

namespace hw {
namespace {

constexpr OpSpec kSpecs[] = {
#define HW_OP(name, inputs, outputs, ...) OpSpec{__VA_ARGS__},
#include "engine/program/ops.def"
#undef HW_OP
};

// An op without outputs is an update: it writes states.
constexpr bool updates_write() {
  for (size_t i = 0; i < std::size(kSpecs); ++i)
    if ((info(static_cast<Op>(i)).outputs == 0) != (kSpecs[i].writes > 0)) return false;
  return true;
}
static_assert(updates_write());

}  // namespace

const OpSpec& spec(Op op) {
  return kSpecs[static_cast<size_t>(op)];
}

size_t written_inputs(Op op) {
  return static_cast<size_t>(spec(op).writes);
}

bool takes_dtypes(Op op, std::span<const DType> dtypes) {
  const auto outputs = static_cast<size_t>(info(op).outputs);
  return dtypes.size() >= outputs && fits_inputs(op, dtypes.size() - outputs) && spec(op).dtypes(op, dtypes);
}

}  // namespace hw
