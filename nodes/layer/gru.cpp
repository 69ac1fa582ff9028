// GRU: a recurrent layer that mixes its state with a new one, unrolled along the steps.
#include "engine/node/recurrent.h"

namespace hw::nodes::gru {

static const std::vector<std::string> kStates{"hidden"};

static void declare(NodeDecl& d) {
  d.title("GRU").category("Layer").summary("A recurrent layer with two gates: the gated recurrent unit.");
  d.doc(
      "`x` [batch, seq, in] to `y` [batch, seq, hidden_size], step by step: with r, z, n the rows, in this order, of "
      "`weight_ih · x + bias_ih`, and u, v, w those of `weight_hh · h + bias_hh`: `m = tanh(n + σ(r + u) · w)`, "
      "`s = σ(z + v)`, `h = m + s · (h - m)`. `hidden` is h after the last step, [batch, hidden_size]; wired to "
      "`initial_hidden` it goes on where another part ended. `bidirectional` puts a second layer, which walks "
      "backwards, "
      "beside the first: hidden_size twice. Weights and biases start uniform in ±1/√hidden_size, as PyTorch's do.\n\n"
      "Products accumulate in f32 (f64 for f64); each step is rounded to `dtype`. The steps are unrolled, at most 1024 "
      "of "
      "them.");
  d.source("Cho et al. 2014; PyTorch, `torch.nn.GRU`; ONNX, GRU (linear_before_reset = 1)");
  d.keywords("recurrent rnn sequence memory gate time series text bidirectional gated unit GRU GRUCell");
  recurrent::declare(d, 3, kStates);
}

static Result<Shapes> shape(const ShapeArgs& a) {
  return recurrent::shape(a, kStates);
}

static std::vector<Val> step(OpBuilder& b, Val input_gates, Val hidden_gates, const std::vector<Val>& state) {
  const auto of_input = [&](int64_t k) { return recurrent::gate(b, input_gates, 3, k); };
  const auto of_hidden = [&](int64_t k) { return recurrent::gate(b, hidden_gates, 3, k); };
  const Val reset = b.sigmoid(b.add(of_input(0), of_hidden(0)));
  const Val share = b.sigmoid(b.add(of_input(1), of_hidden(1)));
  const Val fresh = b.unary(UnaryFn::tanh, b.add(of_input(2), b.mul(reset, of_hidden(2))));
  return {b.add(fresh, b.mul(share, b.sub(state[0], fresh)))};
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  return recurrent::lower(b, a, 3, kStates, step);
}

static Examples examples() {
  return recurrent::examples();
}

}  // namespace hw::nodes::gru

HW_NODE(gru)
