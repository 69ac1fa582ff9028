// Reverse mode: walks the instructions backwards, sums contributions, tracks the gradient scale of every path.
#include "engine/program/adjoint.h"

#include <cassert>
#include <cmath>

#include "engine/core/codes.h"
#include "engine/program/adjoint_rules.h"
#include "engine/program/op_spec.h"

namespace hw {
namespace {

/// A loss scale fits no narrow dtype, and a loss is one number: the gradient of one number is f32 at least.
DType gradient_dtype(const Value& value) {
  const bool narrow = info(value.dtype).is_float && size_of(value.dtype) < size_of(DType::f32);
  return narrow && element_count(value.dims) == 1 ? DType::f32 : value.dtype;
}

class Adjoint {
 public:
  Adjoint(OpBuilder& b, std::span<const Val> wanted) : b_(b), forward_(b.program().instrs.size()) {
    const Program& p = b.program();
    needed_.resize(p.values.size());
    dtype_.resize(p.values.size());
    for (size_t v = 0; v < p.values.size(); ++v) dtype_[v] = gradient_dtype(p.values[v]);
    for (const Param& param : p.params) {
      if (!param.trainable) continue;
      needed_[param.view] = true;
      dtype_[param.view] = p[param.master].dtype;
    }
    for (Val v : wanted) needed_[v.id] = is_float(v.id);
    for (size_t k = 0; k < forward_; ++k) {
      bool any = false;
      for (ValueId id : p.instrs[k].in) any = any || needed_[id];
      any = any && spec(p.instrs[k].op).adjoint != adjoint_rules::stops;
      for (ValueId id : p.instrs[k].out) needed_[id] = needed_[id] || (any && is_float(id));
    }
  }

  Status run(Val loss, Val scale) {
    if (!needed_[loss.id]) return ok();
    const std::string node = b_.node();
    b_.set_backward(true);
    if (scale) {
      scale = b_.reshape(b_.cast(scale, dtype_[loss.id]), b_[loss].dims);
    } else {
      scale = b_.constant(Tensor::from_f64(dtype_[loss.id], b_[loss].dims, std::vector<double>(1, 1.0)), "grad(loss)");
    }
    accumulate(loss.id, {scale, {}}, 1);
    Status status = ok();
    for (size_t k = forward_; k-- > 0 && status;) status = step(k);
    b_.set_backward(false);
    b_.set_node(node);
    return status ? b_.status() : status;
  }

  Gradients result() const {
    Gradients r;
    for (const auto& [id, slot] : slots_) {
      r.of[id] = slot.grad;
      r.unscale[id] = 1 / slot.pending;
      if (b_[slot.grad].name.empty() && !b_[Val{id}].name.empty())
        b_.set_name(slot.grad, "grad(" + b_[Val{id}].name + ")");
    }
    for (const Param& param : b_.program().params) {
      const auto it = slots_.find(param.view);
      if (it == slots_.end() || !param.trainable) continue;
      if (it->second.touched) r.touched[param.view] = it->second.touched;
    }
    return r;
  }

 private:
  struct Slot {
    Val grad, touched;
    double pending;  // product of the unscaled gradient_scale factors that `grad` carries
  };

  bool is_float(ValueId id) const { return info(b_.program()[id].dtype).is_float; }

  Status step(size_t k) {
    const Instr instr = b_.program().instrs[k];  // a copy: rules append to the list
    const Slot* slot = nullptr;
    for (ValueId id : instr.out)
      if (const auto it = slots_.find(id); it != slots_.end()) slot = &it->second;
    std::vector<bool> wanted;
    std::vector<DType> dtypes;
    bool any = false;
    for (ValueId id : instr.in) {
      wanted.push_back(needed_[id]);
      dtypes.push_back(dtype_[id]);
      any = any || needed_[id];
    }
    if (!slot || !any) return ok();
    const AdjointRule rule = spec(instr.op).adjoint;
    const std::string& node = b_.program().nodes[instr.node];
    if (!rule)
      return Error{codes::unsupported, node, "No gradient passes through " + std::string(info(instr.op).name) + ".",
                   "Take it off the way from the parameters to the loss."};
    assert(instr.out.size() == 1);
    b_.set_node(std::string(node));
    AdjointContext c(b_, instr, slot->grad, std::move(wanted), std::move(dtypes));
    const double pending = slot->pending;
    rule(c);
    if (!b_.status()) return b_.status();
    for (size_t i = 0; i < instr.in.size(); ++i)
      if (c.given[i].grad) accumulate(instr.in[i], c.given[i], pending * c.pending);
    return ok();
  }

  // Contributions with different pending factors meet at the larger one: scaling up cannot underflow.
  void accumulate(ValueId id, AdjointContext::Given given, double pending) {
    const auto [it, fresh] = slots_.try_emplace(id, Slot{given.grad, given.touched, pending});
    if (fresh) return;
    Slot& s = it->second;
    s.grad = b_.cast(s.grad, dtype_[id]);
    given.grad = b_.cast(given.grad, dtype_[id]);
    if (std::abs(s.pending) < std::abs(pending)) {
      s.grad = b_.scale(s.grad, pending / s.pending);
      s.pending = pending;
    } else if (s.pending != pending) {
      given.grad = b_.scale(given.grad, s.pending / pending);
    }
    s.grad = b_.add(s.grad, given.grad);
    s.touched = {};  // the sum of two gradients is not sparse the same way
  }

  OpBuilder& b_;
  const size_t forward_;
  std::vector<bool> needed_;  // by value: a parameter or a wanted value lies before it
  std::vector<DType> dtype_;  // of the value's gradient
  std::unordered_map<ValueId, Slot> slots_;
};

}  // namespace

Result<Gradients> build_adjoint(OpBuilder& b, Val loss, std::span<const Val> wanted, Val scale) {
  HW_CHECK(b.status());
  const Value& v = b[loss];
  if (!info(v.dtype).is_float)
    return Error{codes::dtype_mismatch, b.node(), "The loss must be a float, got " + std::string(name(v.dtype)) + ".",
                 "Put a Cast before it."};
  if (element_count(v.dims) != 1)
    return Error{codes::size_mismatch, b.node(), "The loss must be one number, got " + to_string(v.dims) + ".",
                 "Take its mean or sum."};
  Adjoint adjoint(b, wanted);
  HW_CHECK(adjoint.run(loss, scale));
  return adjoint.result();
}

}  // namespace hw
