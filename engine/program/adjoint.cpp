// Reverse mode: walks the instructions backwards, sums contributions, tracks the gradient scale of every path.
#include "engine/program/adjoint.h"

#include <cmath>

#include "engine/core/codes.h"
#include "engine/program/adjoint_rules.h"
#include "engine/program/op_spec.h"

namespace hw {
namespace {

/// A loss scale fits no narrow dtype, and a loss is one number: the gradient of one number is f32 at least.
DType gradient_dtype(const Value& value) {
  const bool narrow = info(value.dtype).is_float && info(value.dtype).bits < info(DType::f32).bits;
  return narrow && element_count(value.dims) == 1 ? DType::f32 : value.dtype;
}

/// backward: of a loss, also by the trainable parameters; each op belongs to the node whose op it is the adjoint of.
/// value: by what is wanted alone, as ops of the builder's node wherever that is.
enum class Pass : uint8_t { backward, value };

class Adjoint {
 public:
  /// Through the instructions from `first` on.
  Adjoint(OpBuilder& b, Pass pass, std::span<const Val> wanted, size_t first = 0)
      : b_(b), pass_(pass), first_(first), forward_(b.program().instrs.size()) {
    const Program& p = b.program();
    needed_.resize(p.values.size());
    dtype_.resize(p.values.size());
    for (size_t v = 0; v < p.values.size(); ++v) dtype_[v] = gradient_dtype(p.values[v]);
    for (const Param& param : p.params) {
      if (!param.trainable || pass == Pass::value) continue;
      needed_[param.view] = true;
      dtype_[param.view] = p[param.master].dtype;
    }
    for (Val v : wanted) needed_[v.id] = is_float(v.id);
    for (size_t k = first_; k < forward_; ++k) {
      bool any = false;
      for (ValueId id : p.instrs[k].in) any = any || needed_[id];
      any = any && spec(p.instrs[k].op).adjoint != adjoint_rules::stop_gradient;
      for (ValueId id : p.instrs[k].out) needed_[id] = needed_[id] || (any && is_float(id));
    }
  }

  /// Whether a gradient of `y` can reach what is wanted, or a parameter.
  bool reaches(Val y) const { return needed_[y.id]; }

  Status run_backward(Val loss, Val scale) {
    if (!reaches(loss)) return ok();
    const std::string node = b_.node();
    b_.set_backward(true);
    if (scale) {
      scale = b_.reshape(b_.cast(scale, dtype_[loss.id]), b_[loss].dims);
    } else {
      scale = b_.constant(Tensor::from_f64(dtype_[loss.id], b_[loss].dims, std::vector<double>(1, 1.0)), "grad(loss)");
    }
    const Status status = walk(loss, scale);
    b_.set_backward(false);
    b_.set_node(node);
    return status;
  }

  /// Back from `y`, whose gradient is `seed`; none: 1 for each element.
  Status run_value(Val y, Val seed = {}) {
    if (!seed) {
      const Val one = b_.constant(Tensor::from_f64(dtype_[y.id], {}, std::vector<double>(1, 1.0)));
      seed = b_.broadcast_to(one, b_[y].dims);
    }
    return walk(y, seed);
  }

  /// The gradient of a wanted value, gradient scales divided out; no value: none reached it.
  Val value(Val x) const {
    const auto slot = slots_.find(x.id);
    if (slot == slots_.end()) return {};
    const auto& [grad, touched, pending] = slot->second;
    return pending == 1 ? grad : b_.scale(grad, 1 / pending);
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

  Status walk(Val y, Val seed) {
    accumulate(y.id, {seed, {}}, 1);
    Status status = ok();
    for (size_t k = forward_; k-- > first_ && status;) status = step(k);
    return status ? b_.status() : status;
  }

  Error no_gradient(const Instr& instr) const {
    const std::string& node = b_.program().nodes[instr.node];
    const std::string op(info(instr.op).name);
    if (pass_ == Pass::value)
      return {codes::unsupported, b_.node(), "No gradient passes through " + op + " of " + node + ".",
              "Take it off the way from x to y."};
    const size_t grad = op.find("_grad");
    const std::string why = grad == op.npos ? "." : ": " + op.substr(0, grad) + " has no second derivative here.";
    return {codes::unsupported, node, "No gradient passes through " + op + why,
            "Take it off the way from the parameters to the loss."};
  }

  Status step(size_t k) {
    const Instr instr = b_.program().instrs[k];  // a copy: rules append to the list
    // Only the first of several outputs is a float on a way to a loss.
    const auto found = instr.out.empty() ? slots_.end() : slots_.find(instr.out[0]);
    const Slot* slot = found == slots_.end() ? nullptr : &found->second;
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
    if (!rule) return no_gradient(instr);
    if (pass_ == Pass::backward) b_.set_node(std::string(b_.program().nodes[instr.node]));
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
  const Pass pass_;
  const size_t first_, forward_;
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
  Adjoint adjoint(b, Pass::backward, wanted);
  HW_CHECK(adjoint.run_backward(loss, scale));
  return adjoint.result();
}

Val gradient_of(OpBuilder& b, Val y, Val x) {
  if (!b.status()) return {};
  const auto refuse = [&](Error error) {
    b.fail(std::move(error));
    return Val{};
  };
  for (const Val v : {y, x})
    if (!info(b[v].dtype).is_float)
      return refuse({codes::dtype_mismatch, b.node(),
                     "A gradient is of floats by floats, got " + std::string(name(b[v].dtype)) + ".",
                     "Put a Cast before it."});
  Adjoint adjoint(b, Pass::value, {&x, 1});
  if (!adjoint.reaches(y))
    return refuse({codes::not_upstream, b.node(),
                   "No gradient can reach x from y: y is not made of it, or only through whole numbers, comparisons or "
                   "a Stop Gradient.",
                   "Wire x from where the way to y begins."});
  if (const Status status = adjoint.run_value(y); !status) return refuse(status.error());
  const Value by = b[x];
  if (const Val found = adjoint.value(x)) return b.cast(found, by.dtype);
  return b.broadcast_to(b.constant(Tensor::zeros(by.dtype, {})), by.dims);
}

std::vector<Val> gradients_since(OpBuilder& b, size_t first, Val y, Val seed, std::span<const Val> inputs) {
  std::vector<Val> found(inputs.size());
  if (!b.status()) return found;
  Adjoint adjoint(b, Pass::value, inputs, first);
  if (!adjoint.reaches(y)) return found;
  if (const Status status = adjoint.run_value(y, seed); !status) b.fail(status.error());
  for (size_t k = 0; k < inputs.size() && b.status(); ++k) found[k] = adjoint.value(inputs[k]);
  return found;
}

}  // namespace hw
