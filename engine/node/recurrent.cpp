#include "engine/node/recurrent.h"

#include <algorithm>
#include <cmath>

#include "engine/core/sizes.h"
#include "engine/program/product_bias.h"

namespace hw::recurrent {
namespace {

int64_t directions(const Params& p) {
  return p.text("direction") == "bidirectional" ? 2 : 1;
}

}  // namespace

void declare(NodeDecl& d, int gates, const std::vector<std::string>& states) {
  d.autocast(Autocast::low);
  const std::string rows = std::to_string(gates) + " · hidden_size";
  d.integer("hidden_size", 64).docs("Size of the state, in each direction.").range(1, 65536).logarithmic();
  d.choice("direction", "forward", {"forward", "reverse", "bidirectional"})
      .docs("From the first step on, from the last, or both side by side.");
  d.boolean("bias", true).docs("Add biases to the gates.");
  d.dtype("dtype", DType::f32, running_floats()).labelled("dtype").docs("Storage dtype of weights, input and output.");
  shapes::declare_compute(d);
  d.weight("weight_*", "dtype",
           "weight_ih [" + rows + ", in] and weight_hh [" + rows + ", hidden_size]; .._reverse: back");
  d.weight("bias_*", "dtype", "bias_ih and bias_hh [" + rows + "]; .._reverse: back", "bias");
  d.input("x").dtype_of("dtype").with_axes("batch seq hidden");
  for (const std::string& state : states)
    d.input("initial_" + state)
        .dtype_of("dtype")
        .with_axes("batch hidden")
        .may_be_open()
        .docs("Before the first step; open: 0.");
  d.output("y").dtype_of("dtype").with_axes("batch seq hidden").docs("After every step.");
  for (const std::string& state : states)
    d.output(state).dtype_of("dtype").with_axes("batch hidden").docs("After the last step.");
}

Result<Shapes> shape(const ShapeArgs& a, const std::vector<std::string>& states) {
  HW_CHECK(shapes::require_axes(a, "x", "batch seq hidden"));
  const Shape& x = a.shape("x");
  if (!x[1].known() || !x[2].known() || x[1].size < 1 || x[1].size > kMostSteps || x[2].size < 1)
    return Error{
        codes::size_mismatch, "x",
        "its steps must be from 1 to " + std::to_string(kMostSteps) + ", its channels known, got " + to_string(x) + ".",
        "Slice long sequences, and hand the state from one part to the next."};
  const int64_t width = a.params().integer("hidden_size") * directions(a.params());
  const Shape last{x[0], {x[2].name, width, ""}};
  for (const std::string& state : states) {
    const std::string socket = "initial_" + state;
    if (!a.in(socket)) continue;
    const auto both = unify(last, a.shape(socket));
    if (!both)
      return Error{both.error().code, socket,
                   "must be " + to_string(last) + ", [batch, hidden_size of each direction], got " +
                       to_string(a.shape(socket)) + ".",
                   ""};
  }
  Shape y = x;
  y[2].size = width;
  const DType dtype = a.params().dtype("dtype");
  Shapes all{shapes::tensor(dtype, y)};
  for (size_t i = 0; i < states.size(); ++i) all.push_back(shapes::tensor(dtype, last));
  return all;
}

Val gate(OpBuilder& b, Val gates, int64_t count, int64_t k) {
  if (!b.status()) return {};
  const int64_t size = b[gates].dims.back() / count;
  return b.slice(gates, 1, k * size, (k + 1) * size);
}

Lowered lower(OpBuilder& b, const LowerArgs& a, int gates, const std::vector<std::string>& states, const Step& step) {
  const Params& p = a.params();
  const Lowered failed(states.size() + 1, Val{});
  const Val x = a.in("x");
  if (!b.status()) return failed;
  const int64_t n = b[x].dims[0], steps = b[x].dims[1], in = b[x].dims[2], hidden = p.integer("hidden_size");
  const DType dtype = p.dtype("dtype");
  const auto compute = shapes::compute_of(p);
  const Init init{Init::Kind::uniform, 1 / std::sqrt(static_cast<double>(hidden))};
  std::vector<Val> ys;
  std::vector<std::vector<Val>> lasts(states.size());
  for (int64_t direction = 0; direction < directions(p); ++direction) {
    const bool back = direction == 1 || p.text("direction") == "reverse";
    const std::string suffix = back ? "_reverse" : "";
    const auto product = [&](Val v, const std::string& which, int64_t width) {
      const Val weight = b.param("weight_" + which + suffix, dtype, {gates * hidden, width}, init);
      const Val bias = p.boolean("bias") ? b.param("bias_" + which + suffix, dtype, {gates * hidden}, init) : Val{};
      return product_with_bias(b, Op::matmul, v, weight, bias, MatmulAttr{true, false, compute});
    };
    const Val inputs = product(x, "ih", in);
    std::vector<Val> state;
    for (const std::string& name : states) {
      if (!a.has("initial_" + name))
        state.push_back(b.broadcast_to(b.constant(Tensor::zeros(dtype, {})), {n, hidden}));
      else if (directions(p) == 1)
        state.push_back(a.in("initial_" + name));
      else
        state.push_back(b.slice(a.in("initial_" + name), 1, direction * hidden, (direction + 1) * hidden));
    }
    std::vector<Val> outputs(static_cast<size_t>(steps));
    for (int64_t i = 0; i < steps && b.status(); ++i) {
      const int64_t t = back ? steps - 1 - i : i;
      const Val given = b.reshape(b.slice(inputs, 1, t, t + 1), {n, gates * hidden});
      state = step(b, given, product(state[0], "hh", hidden), state);
      outputs[static_cast<size_t>(t)] = b.reshape(state[0], {n, 1, hidden});
    }
    if (!b.status()) return failed;
    ys.push_back(steps == 1 ? outputs[0] : b.concat(outputs, 1));
    for (size_t s = 0; s < states.size(); ++s) lasts[s].push_back(state[s]);
  }
  const auto joined = [&](const std::vector<Val>& parts, int axis) {
    return parts.size() == 1 ? parts[0] : b.concat(parts, axis);
  };
  Lowered all;
  const Val y = joined(ys, 2);
  if (!b.status()) return failed;
  b.set_axes(y, b[x].axes);
  all.emplace_back(y);
  for (const std::vector<Val>& parts : lasts) {
    const Val last = joined(parts, 1);
    b.set_axes(last, {});
    all.emplace_back(last);
  }
  return all;
}

Examples examples() {
  const std::vector<std::string> axes{"batch", "seq", "hidden"};
  const auto with = [&](std::string name, ParamMap params) {
    params.emplace("hidden_size", int64_t{3});
    return Example{.name = std::move(name),
                   .inputs = {{"x", DType::f32, {2, 4, 5}, axes}},
                   .params = std::move(params),
                   .tolerance_factor = 8};
  };
  Example started = with("initial_state", {{"bias", false}, {"direction", std::string("bidirectional")}});
  started.inputs.push_back({"initial_hidden", DType::f32, {2, 6}, {}});
  return {with("forward", {}), with("reverse", {{"direction", std::string("reverse")}}), std::move(started)};
}

}  // namespace hw::recurrent
