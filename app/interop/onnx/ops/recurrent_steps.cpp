// Recurrent layers that no node computes, one step of time behind the other.
#include <algorithm>

#include "app/interop/onnx/rules.h"
#include "app/interop/onnx/steps.h"

namespace hw::interop {
namespace {

using Names = std::vector<std::string>;

constexpr int64_t kMostSteps = 1024;  // that are laid out one behind the other

/// What all directions have in common. Gates in ONNX's order: RNN h, GRU z r h, LSTM i o f c.
struct Layer {
  Importer& im;
  const OnnxNode& n;
  Steps& s;
  int64_t gates, hidden, steps;
  double clip;
  Names x;          // by time, [batch, in]
  Names is_inside;  // by time, bool [batch, 1]: the row's sequence goes on; empty: all do
};

bool is_known(const std::string& activation) {
  constexpr std::string_view kNames[]{"Elu",     "HardSigmoid", "LeakyRelu", "Relu",
                                      "Sigmoid", "Softplus",    "Softsign",  "Tanh"};
  return std::ranges::count(kNames, activation) > 0;
}

/// By direction and place. Error: one is not known, or has parameters.
Result<std::vector<Names>> activations_by_direction(const OnnxNode& n, size_t directions) {
  const Names usual = n.op == "LSTM"  ? Names{"Sigmoid", "Tanh", "Tanh"}
                      : n.op == "GRU" ? Names{"Sigmoid", "Tanh"}
                                      : Names{"Tanh"};
  std::vector<Names> all(directions, usual);
  const Names given = activations_of(n);
  if (given.empty()) return all;
  if (given.size() != usual.size() * directions) return unsupported("its activations do not fit.");
  for (size_t i = 0; i < given.size(); ++i) {
    if (!is_known(given[i])) return unsupported("its activation " + given[i] + ".");
    all[i / usual.size()][i % usual.size()] = given[i];
  }
  if (n.has("activation_alpha") || n.has("activation_beta"))
    return unsupported("activations with parameters of their own.");
  return all;
}

/// One direction: its weights as matrices that a row is multiplied by, and its states.
class Direction {
 public:
  Direction(const Layer& layer, int64_t direction, Names activations)
      : l_(layer), s_(layer.s), direction_(direction), activations_(std::move(activations)) {}

  /// States by time, in the order of time; `hidden` and `cell` are the last ones then.
  Names run(bool backwards) {
    weight_ = turned(part(1));
    recurrent_ = turned(part(2));
    if (l_.im.has(l_.n, 3)) {
      const auto both = s_.add_many("Split", {part(3), s_.integers({l_.gates * l_.hidden, l_.gates * l_.hidden})},
                                    {{"axis", int64_t{0}}}, 2);
      bias_ = both[0];
      recurrent_bias_ = both[1];
    }
    if (l_.im.has(l_.n, 7)) peepholes_ = split(part(7), 3, 0);
    if (by_gate()) {
      const Names matrices = split(recurrent_, 3, 1);
      gates_matrix_ = s_.add("Concat", {matrices[0], matrices[1]}, {{"axis", int64_t{1}}});
      last_matrix_ = matrices[2];
    }
    hidden = state(5);
    if (l_.n.op == "LSTM") cell = state(6);
    Names made(static_cast<size_t>(l_.steps));
    for (int64_t step = 0; step < l_.steps; ++step) {
      const auto at = static_cast<size_t>(backwards ? l_.steps - 1 - step : step);
      made[at] = turn(at);
    }
    return made;
  }

  std::string hidden, cell;

 private:
  /// GRU with linear_before_reset 0 multiplies by the last gate's weights on their own.
  bool by_gate() const { return l_.n.op == "GRU" && l_.n.integer("linear_before_reset", 0) == 0; }
  std::string part(size_t i) const {
    return s_.add("Gather", {l_.n.inputs[i], s_.add("Squeeze", {s_.integers({direction_})})});
  }
  std::string turned(const std::string& x) const {
    return s_.add("Transpose", {x}, {{"perm", std::vector<int64_t>{1, 0}}});
  }
  Names split(const std::string& x, int64_t parts, int64_t axis) const {
    const std::vector<int64_t> sizes(static_cast<size_t>(parts), l_.hidden);
    return parts == 1 ? Names{x} : s_.add_many("Split", {x, s_.integers(sizes)}, {{"axis", axis}}, sizes.size());
  }
  std::string add(const std::string& a, const std::string& b) const {
    return a.empty() ? b : b.empty() ? a : s_.add("Add", {a, b});
  }
  std::string mul(const std::string& a, const std::string& b) const { return s_.add("Mul", {a, b}); }

  /// [batch, hidden]: input i, or zeros.
  std::string state(size_t i) const {
    if (!l_.im.has(l_.n, i)) return "";
    const int64_t axis = l_.n.integer("layout", 0) != 0 ? 1 : 0;
    return s_.add("Gather", {l_.n.inputs[i], s_.add("Squeeze", {s_.integers({direction_})})}, {{"axis", axis}});
  }

  std::string active(size_t which, std::string x) const {
    if (l_.clip > 0) x = s_.add("Clip", {x, s_.number(-l_.clip, x), s_.number(l_.clip, x)});
    return s_.add(activations_[which], {x});
  }

  std::string one_minus(const std::string& x) const { return s_.add("Sub", {s_.number(1, x), x}); }

  /// Rows whose sequence has ended keep what they had; a state that is "" is 0.
  std::string kept(size_t at, const std::string& before, const std::string& now) const {
    if (l_.is_inside.empty()) return now;
    return s_.add("Where", {l_.is_inside[at], now, before.empty() ? s_.number(0, now) : before});
  }

  std::string turn(size_t at) {
    const std::string from_x = add(s_.add("MatMul", {l_.x[at], weight_}), bias_);
    std::string now, now_cell;
    if (l_.n.op == "LSTM") {
      const Names g = split(with_state(from_x, recurrent_, recurrent_bias_), 4, 1);
      const bool coupled = l_.n.integer("input_forget", 0) != 0;
      const std::string in = active(0, seen(g[0], 0, cell)), made = active(1, g[3]);
      const std::string forget = coupled ? one_minus(in) : active(0, seen(g[2], 2, cell));
      now_cell = add(mul(in, made), cell.empty() ? "" : mul(forget, cell));
      now = mul(active(0, seen(g[1], 1, now_cell)), s_.add(activations_[2], {now_cell}));
    } else if (l_.n.op == "GRU") {
      now = gru(from_x);
    } else {
      now = active(0, with_state(from_x, recurrent_, recurrent_bias_));
    }
    if (!now_cell.empty()) cell = kept(at, cell, now_cell);
    const std::string result = kept(at, "", now);
    hidden = kept(at, hidden, now);
    return result;
  }

  std::string with_state(const std::string& from_x, const std::string& matrix, const std::string& bias) const {
    return add(add(from_x, hidden.empty() ? "" : s_.add("MatMul", {hidden, matrix})), bias);
  }

  /// A gate that looks at the cell.
  std::string seen(const std::string& gate, size_t peephole, const std::string& of) const {
    return peepholes_.empty() || of.empty() ? gate : add(gate, mul(of, peepholes_[peephole]));
  }

  std::string gru(const std::string& from_x) const {
    const Names x = split(from_x, 3, 1);
    Names biases = recurrent_bias_.empty() ? Names(3) : split(recurrent_bias_, 3, 0);
    std::string update, reset, made;
    if (by_gate()) {
      Names g(2);
      if (!hidden.empty()) g = split(s_.add("MatMul", {hidden, gates_matrix_}), 2, 1);
      update = active(0, add(add(x[0], g[0]), biases[0]));
      reset = active(0, add(add(x[1], g[1]), biases[1]));
      const std::string from = hidden.empty() ? "" : s_.add("MatMul", {mul(reset, hidden), last_matrix_});
      made = active(1, add(add(x[2], from), biases[2]));
    } else {
      Names g(3);
      if (!hidden.empty()) g = split(s_.add("MatMul", {hidden, recurrent_}), 3, 1);
      update = active(0, add(add(x[0], g[0]), biases[0]));
      reset = active(0, add(add(x[1], g[1]), biases[1]));
      const std::string from = add(g[2], biases[2]);
      made = active(1, add(x[2], from.empty() ? "" : mul(reset, from)));
    }
    return add(mul(one_minus(update), made), hidden.empty() ? "" : mul(update, hidden));
  }

  const Layer& l_;
  Steps& s_;
  int64_t direction_;
  Names activations_;
  std::string weight_, recurrent_, bias_, recurrent_bias_, gates_matrix_, last_matrix_;
  Names peepholes_;
};

/// Along a new axis.
std::string stacked(Steps& s, const Names& parts, int64_t axis) {
  Names wide;
  for (const std::string& part : parts) wide.push_back(s.add("Unsqueeze", {part, s.integers({axis})}));
  return wide.size() == 1 ? wide[0] : s.add("Concat", wide, {{"axis", axis}});
}

Result<std::vector<OnnxNode>> recurrent(Importer& im, const OnnxNode& n) {
  HW_TRY(const Dims x, im.open_dims(n, 0));
  HW_TRY(const Dims r, im.open_dims(n, 2));
  const bool batch_first = n.integer("layout", 0) != 0;
  const std::string direction = n.text("direction", "forward");
  const size_t directions = direction == "bidirectional" ? 2 : 1;
  const int64_t gates = n.op == "LSTM" ? 4 : n.op == "GRU" ? 3 : 1;
  if (x.size() != 3 || r.size() != 3 || r[2] < 1 || r[1] != gates * r[2] || r[0] != static_cast<int64_t>(directions))
    return unsupported("its inputs do not fit each other.");
  HW_TRY(const std::vector<Names> activations, activations_by_direction(n, directions));
  const int64_t time = batch_first ? 1 : 0;
  const int64_t steps = x[static_cast<size_t>(time)];
  if (steps < 1) return unsupported("the number of its steps is symbolic.");
  if (steps > kMostSteps) return unsupported("more than " + std::to_string(kMostSteps) + " steps.");
  Steps s(im, n);
  Layer layer{im, n, s, gates, r[2], steps, n.real("clip", 0), {}, {}};
  for (int64_t step = 0; step < steps; ++step) {
    layer.x.push_back(s.add("Gather", {n.inputs[0], s.add("Squeeze", {s.integers({step})})}, {{"axis", time}}));
    if (!im.has(n, 4)) continue;
    const std::string lengths = s.add("Unsqueeze", {s.cast(n.inputs[4], DType::i64), s.integers({1})});
    layer.is_inside.push_back(s.add("Less", {s.integers({step}), lengths}));
  }
  Names by_direction, hidden, cell;
  for (size_t d = 0; d < directions; ++d) {
    Direction one(layer, static_cast<int64_t>(d), activations[d]);
    const bool backwards = direction == "reverse" || d == 1;
    by_direction.push_back(stacked(s, one.run(backwards), time));  // [steps, batch, hidden] or [batch, steps, hidden]
    hidden.push_back(one.hidden);
    cell.push_back(one.cell);
  }
  s.give(0, stacked(s, by_direction, batch_first ? 2 : 1));
  s.give(1, stacked(s, hidden, batch_first ? 1 : 0));
  if (n.op == "LSTM") s.give(2, stacked(s, cell, batch_first ? 1 : 0));
  return s.take();
}

}  // namespace

std::span<const StepsRow> recurrent_steps() {
  static constexpr StepsRow kRows[]{{"", "GRU", recurrent}, {"", "LSTM", recurrent}, {"", "RNN", recurrent}};
  return kRows;
}

}  // namespace hw::interop
