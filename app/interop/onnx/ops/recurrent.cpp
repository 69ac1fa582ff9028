// Recurrent layers. Weights become parameters, which can be trained.
#include <algorithm>
#include <cctype>

#include "app/interop/onnx/rules.h"

namespace hw::interop {
namespace {

/// Rows of `from` [rows, columns], gate by gate in another order.
Tensor gates_in_order(const Tensor& from, int64_t gates, const std::vector<int64_t>& order) {
  const std::vector<double> values = from.to_f64();
  const size_t each = values.size() / static_cast<size_t>(gates);
  std::vector<double> sorted;
  for (const int64_t gate : order)
    sorted.insert(sorted.end(), values.begin() + static_cast<std::ptrdiff_t>(static_cast<size_t>(gate) * each),
                  values.begin() + static_cast<std::ptrdiff_t>(static_cast<size_t>(gate + 1) * each));
  return Tensor::from_f64(from.dtype(), from.dims(), sorted);
}

Tensor part_of(const Tensor& from, int64_t part, const Dims& dims, int64_t offset = 0) {
  const std::vector<double> values = from.to_f64();
  const int64_t count = element_count(dims), whole = from.size() / from.dims()[0];
  const auto begin = values.begin() + static_cast<std::ptrdiff_t>(part * whole + offset);
  return Tensor::from_f64(from.dtype(), dims, std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(count)));
}

/// None are given, or the default ones, in each direction.
bool has_usual_activations(const OnnxNode& n, bool lstm) {
  const std::vector<std::string> given = activations_of(n);
  constexpr std::string_view kUsual[]{"Sigmoid", "Tanh", "Tanh"};
  for (size_t i = 0; i < given.size(); ++i)
    if (given[i] != kUsual[i % (lstm ? 3 : 2)]) return false;
  return true;
}

/// The lengths of all rows are all steps of x: as if there were none.
bool has_full_lengths(Importer& im, const OnnxNode& n) {
  if (!im.has(n, 4)) return true;
  const auto dims = im.sized_dims(n, 0);
  const auto lengths = im.sized(n, 4);
  if (!dims || !lengths) return false;
  const size_t time = n.integer("layout", 0) != 0 ? 1 : 0;
  const auto are = [](const Tensor& all, int64_t size) {
    return std::ranges::all_of(all.to_f64(), [&](double x) { return x == static_cast<double>(size); });
  };
  return dims->here.size() == 3 && are(lengths->here, dims->here[time]) && are(lengths->other, dims->other[time]);
}

/// [seq, batch, in] to [seq, directions, batch, hidden]. ONNX's gates are i o f c and z r h; ours i f g o and r z n.
Status recurrent(Importer& im, const OnnxNode& n, int64_t gates, const std::vector<int64_t>& order) {
  const bool lstm = gates == 4;
  HW_TRY(const Wire x, im.in(n, 0));
  const Tensor *w = im.bound(n, 1), *r = im.bound(n, 2), *b = im.bound(n, 3);
  if (!w || !r || (im.has(n, 3) && !b)) return unsupported("its weights are computed.");
  if (!has_full_lengths(im, n)) return unsupported("sequences of several lengths.");
  if (im.has(n, 7)) return unsupported("peepholes.");
  if (!has_usual_activations(n, lstm) || n.has("clip") || n.integer("input_forget", 0) != 0)
    return unsupported("activations of its own, clipping, or coupled gates.");
  if (!lstm && n.integer("linear_before_reset", 0) == 0)
    return unsupported("its reset gate comes before the product (linear_before_reset 0).");
  const std::string direction = n.text("direction", "forward");
  const Dims &of_w = w->dims(), &of_r = r->dims();
  const bool fits = of_w.size() == 3 && of_r.size() == 3 && of_w[0] == (direction == "bidirectional" ? 2 : 1) &&
                    of_r[0] == of_w[0] && of_r[2] >= 1 && of_w[1] == gates * of_r[2] && of_r[1] == of_w[1] &&
                    (!b || b->dims() == Dims{of_w[0], 2 * of_w[1]});
  if (!fits) return unsupported("its weights do not fit each other.");
  const bool batch_first = n.integer("layout", 0) != 0;
  const int64_t directions = w->dims()[0], hidden = r->dims()[2], in = w->dims()[2];
  std::map<std::string, Tensor> weights;
  for (int64_t d = 0; d < directions; ++d) {
    const std::string tail = d == 0 && direction != "reverse" ? "" : "_reverse";
    weights["weight_ih" + tail] = gates_in_order(part_of(*w, d, {gates * hidden, in}), gates, order);
    weights["weight_hh" + tail] = gates_in_order(part_of(*r, d, {gates * hidden, hidden}), gates, order);
    if (!b) continue;
    weights["bias_ih" + tail] = gates_in_order(part_of(*b, d, {gates * hidden}), gates, order);
    weights["bias_hh" + tail] = gates_in_order(part_of(*b, d, {gates * hidden}, gates * hidden), gates, order);
  }
  const std::vector<double> swap{1, 0, 2};
  Wire steps = x;
  if (!batch_first) {
    HW_TRY(steps, im.add("transpose", {{"x", x}}, {{"axes", swap}}));
  }
  HW_TRY(const Dims dims, im.open_dims(steps));
  if (dims.size() != 3) return unsupported("its input does not have three axes.");
  Wires inputs{{"x", steps}};
  for (size_t i = 5; i <= (lstm ? 6u : 5u); ++i) {
    if (!im.has(n, i)) continue;
    HW_TRY(Wire state, im.in(n, i));
    if (!batch_first) {
      HW_TRY(state, im.add("transpose", {{"x", state}}, {{"axes", swap}}));
    }
    HW_TRY(state, im.add("flatten", {{"x", state}}, {{"first", int64_t{1}}}));
    inputs.emplace_back(i == 5 ? "initial_hidden" : "initial_cell", state);
  }
  HW_TRY(const Wire y,
         im.add_layer(
             lstm ? "lstm" : "gru", inputs,
             {{"hidden_size", hidden}, {"direction", direction}, {"bias", b != nullptr}, {"dtype", dtype_name(*w)}},
             weights));
  const std::vector<double> parts{static_cast<double>(directions), static_cast<double>(hidden)};
  const auto by_direction = [&](const Wire& from, std::vector<double> axes) -> Result<Wire> {
    HW_TRY(const Wire split, im.add("unflatten", {{"x", from}}, {{"sizes", parts}}));
    return im.add("transpose", {{"x", split}}, {{"axes", std::move(axes)}});
  };
  if (im.wants(n, 0)) {
    HW_TRY(const Wire all,
           by_direction(y, batch_first ? std::vector<double>{0, 1, 2, 3} : std::vector<double>{1, 2, 0, 3}));
    im.set(n, 0, all);
  }
  for (size_t i = 1; i <= (lstm ? 2u : 1u); ++i) {
    if (!im.wants(n, i)) continue;
    HW_TRY(const Wire last, by_direction(Wire{y.node, i == 1 ? "hidden" : "cell"},
                                         batch_first ? std::vector<double>{0, 1, 2} : std::vector<double>{1, 0, 2}));
    im.set(n, i, last);
  }
  return ok();
}
Status lstm(Importer& im, const OnnxNode& n) {
  return recurrent(im, n, 4, {0, 2, 3, 1});
}
Status gru(Importer& im, const OnnxNode& n) {
  return recurrent(im, n, 3, {1, 0, 2});
}

}  // namespace

std::vector<std::string> activations_of(const OnnxNode& n) {
  const auto found = n.attributes.find("activations");
  const auto* given = found == n.attributes.end() ? nullptr : std::get_if<std::vector<std::string>>(&found->second);
  constexpr std::string_view kNames[]{"Affine",  "Elu",      "HardSigmoid", "LeakyRelu", "Relu",           "ScaledTanh",
                                      "Sigmoid", "Softplus", "Softsign",    "Tanh",      "ThresholdedRelu"};
  std::vector<std::string> all = given ? *given : std::vector<std::string>();
  const auto lower = [](unsigned char c) { return std::tolower(c); };
  for (std::string& name : all)
    for (const std::string_view known : kNames)
      if (std::ranges::equal(name, known, {}, lower, lower)) name = known;
  return all;
}

std::span<const RuleRow> recurrent_rules() {
  static constexpr RuleRow kRows[]{
      {"GRU", gru},
      {"LSTM", lstm},
  };
  return kRows;
}

}  // namespace hw::interop
