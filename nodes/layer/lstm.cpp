// LSTM: a recurrent layer with a cell that it may keep, unrolled along the steps.
#include "engine/node/recurrent.h"

namespace hw::nodes::lstm {

static const std::vector<std::string> kStates{"hidden", "cell"};

static void declare(NodeDecl& d) {
  d.title("LSTM").category("Layer").summary("A recurrent layer with a memory cell: long short-term memory.");
  d.doc(
      "`x` [batch, seq, in] to `y` [batch, seq, hidden_size], step by step: with the gates i, f, g, o, rows of "
      "`weight_ih · x + bias_ih + weight_hh · h + bias_hh` in this order, `c = σ(f) · c + σ(i) · tanh(g)`, "
      "`h = σ(o) · tanh(c)`. `hidden` and `cell` are h and c after the last step, [batch, hidden_size]; wired to "
      "`initial_hidden` and `initial_cell` they go on where another part ended. `bidirectional` puts a second layer, "
      "which walks backwards, beside the first: hidden_size twice. Weights and biases start uniform in "
      "±1/√hidden_size, as PyTorch's do.\n\nProducts accumulate in f32 (f64 for f64); each step is rounded to `dtype`. "
      "The steps are unrolled, at most 1024 of them.");
  d.source("Hochreiter and Schmidhuber 1997, Long Short-Term Memory; PyTorch, `torch.nn.LSTM`; ONNX, LSTM");
  d.keywords("recurrent rnn sequence memory gate cell time series text bidirectional LSTM LSTMCell");
  recurrent::declare(d, 4, kStates);
}

static Result<Shapes> shape(const ShapeArgs& a) {
  return recurrent::shape(a, kStates);
}

static std::vector<Val> step(OpBuilder& b, Val input_gates, Val hidden_gates, const std::vector<Val>& state) {
  const Val all = b.add(input_gates, hidden_gates);
  const auto part = [&](int64_t k) { return recurrent::gate(b, all, 4, k); };
  const Val kept = b.mul(b.sigmoid(part(1)), state[1]);
  const Val cell = b.add(kept, b.mul(b.sigmoid(part(0)), b.unary(UnaryFn::tanh, part(2))));
  return {b.mul(b.sigmoid(part(3)), b.unary(UnaryFn::tanh, cell)), cell};
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  return recurrent::lower(b, a, 4, kStates, step);
}

static Examples examples() {
  Examples all = recurrent::examples();
  all.back().inputs.push_back({"initial_cell", DType::f32, {2, 6}, {}});
  return all;
}

}  // namespace hw::nodes::lstm

HW_NODE(lstm)
