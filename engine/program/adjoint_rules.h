// What an adjoint rule sees. One rule an op: OpSpec::adjoint.
#pragma once

#include "engine/program/builder.h"

namespace hw {

/// One forward instruction on the way back. `g` is the gradient of its first output, in that output's sizes and dtype;
/// where the output is one number, in f32 at least. A rule appends ops through `b` and gives a gradient to each input
/// that wants one.
class AdjointContext {
 public:
  /// What a rule gave to one input. `touched`: the mask of a sparse gradient.
  struct Given {
    Val grad, touched;
  };

  AdjointContext(OpBuilder& builder, const Instr& instr, Val grad, std::vector<bool> wanted, std::vector<DType> dtypes)
      : b(builder), i(instr), g(grad), given(instr.in.size()), wanted_(std::move(wanted)), dtypes_(std::move(dtypes)) {}

  bool wants(size_t k) const { return wanted_[k]; }
  /// The dtype that input k's gradient is stored in: its own, or its master's for a parameter.
  DType dtype(size_t k) const { return dtypes_[k]; }
  /// Input k, in g's dtype where that is wider than the output's.
  Val in(size_t k) const { return beside_g({i.in[k]}); }
  Val out() const { return beside_g({i.out[0]}); }
  const Dims& dims(size_t k) const { return b[Val{i.in[k]}].dims; }
  template <class A>
  const A& attr() const {
    return std::get<A>(i.attr);
  }

  /// `grad` summed down to input k's sizes (the reverse of broadcasting) and converted to its gradient dtype.
  Val fit(size_t k, Val grad) {
    if (!b.status()) return {};
    return b[grad].dims == dims(k) ? b.cast(grad, dtype(k)) : b.sum_to(grad, dims(k), dtype(k));
  }
  void give(size_t k, Val grad, Val touched = {}) { given[k] = {fit(k, grad), touched}; }

  OpBuilder& b;
  const Instr& i;
  const Val g;
  std::vector<Given> given;
  double pending = 1;  // factor by which this rule scaled the gradient and that a parameter must divide out

 private:
  Val beside_g(Val x) const {
    const DType dtype = b[x].dtype, wide = b[g].dtype;
    const bool widens = info(dtype).is_float && info(dtype).bits < info(wide).bits && wide != b[Val{i.out[0]}].dtype;
    return widens ? b.cast(x, wide) : x;
  }

  std::vector<bool> wanted_;
  std::vector<DType> dtypes_;
};

namespace adjoint_rules {
// Formulas of second derivatives are computed in f32 at least: what is given is rounded once.
inline Val wide(OpBuilder& b, Val x) {
  return b.status() && b[x].dtype != DType::f64 ? b.cast(x, DType::f32) : x;
}
inline Val number(OpBuilder& b, Val like, double value) {
  if (!b.status()) return {};
  return b.constant(Tensor::from_f64(b[like].dtype, {}, std::vector<double>(1, value)));
}
// factor · x + offset
inline Val linear(OpBuilder& b, Val x, double factor, double offset) {
  return b.add(b.scale(x, factor), number(b, x, offset));
}

// Each row's that has one, by family in engine/program/ops.
#define HW_ADJOINT_adjoint(name) void name(AdjointContext&);
#define HW_ADJOINT_none(name)
#define HW_OP(name, inputs, outputs, infer, has_adjoint, ...) HW_ADJOINT_##has_adjoint(name)
#include "engine/program/ops.def"
#undef HW_ADJOINT_adjoint
#undef HW_ADJOINT_none
}  // namespace adjoint_rules

}  // namespace hw
