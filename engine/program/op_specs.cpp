// The table of ops, from ops.def.
#include <cassert>
#include <utility>

#include "engine/program/adjoint_rules.h"
#include "engine/program/infer_rules.h"
#include "engine/program/op_spec.h"
#include "engine/program/product_bias.h"

namespace hw {
namespace {

constexpr OpSpec kSpecs[] = {
#define HW_ADJOINT_adjoint(name) adjoint_rules::name
#define HW_ADJOINT_none(name) kNoGradient
#define HW_OP(name, inputs, outputs, infer_rule, has_adjoint, cpu, gpu, shader, ...) \
  OpSpec{.infer = infer_rules::infer_rule, .adjoint = HW_ADJOINT_##has_adjoint(name), __VA_ARGS__},
#include "engine/program/ops.def"
#undef HW_ADJOINT_adjoint
#undef HW_ADJOINT_none
};

/// Declared alone: the compiler's error names the op.
template <Op op>
struct ContradictsItself;

// An op without outputs is an update: it writes states.
template <size_t... i>
constexpr bool agree(std::index_sequence<i...>) {
  const auto check = []<size_t k>() {
    if constexpr ((info(static_cast<Op>(k)).outputs == 0) != (kSpecs[k].writes > 0))
      (void)sizeof(ContradictsItself<static_cast<Op>(k)>);
  };
  (check.template operator()<i>(), ...);
  return true;
}
static_assert(agree(std::make_index_sequence<std::size(kSpecs)>()));

}  // namespace

const OpSpec& spec(Op op) {
  return kSpecs[static_cast<size_t>(op)];
}

Result<std::vector<Value>> infer(Op op, std::span<const Value> in, const Attr& attr) {
  assert(fits_inputs(op, in.size()));
  return spec(op).infer({op, in, attr});
}

bool takes_bias(Op op) {
  return spec(op).takes_bias;
}

size_t written_inputs(Op op) {
  return static_cast<size_t>(spec(op).writes);
}

bool takes_dtypes(Op op, std::span<const DType> dtypes) {
  const auto outputs = static_cast<size_t>(info(op).outputs);
  return dtypes.size() >= outputs && fits_inputs(op, dtypes.size() - outputs) && spec(op).dtypes(op, dtypes);
}

}  // namespace hw
