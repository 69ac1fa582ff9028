// LSTM and GRU as operators of ONNX, whose gates have another order.
#include "app/interop/onnx/exporter.h"
#include "engine/core/tensor_rows.h"

namespace hw::interop {
namespace {

/// A weight or a bias, gate by gate in ONNX's order.
Tensor in_order(const Tensor& from, const std::vector<int64_t>& order) {
  const int64_t each = from.dims()[0] / static_cast<int64_t>(order.size());
  std::vector<int64_t> rows;
  for (const int64_t gate : order)
    for (int64_t i = 0; i < each; ++i) rows.push_back(gate * each + i);
  return rows_of(from, rows);
}

/// [batch, seq, in] is [seq, batch, in] there. `order`: ours of each of ONNX's gates. `states`: names of ours.
Status recurrent(Exporter& ex, const std::string& op, const std::vector<int64_t>& order,
                 const std::vector<std::string>& states) {
  const std::string& direction = ex.params().text("direction");
  const bool both = direction == "bidirectional", biased = ex.params().boolean("bias");
  const int64_t hidden = ex.params().integer("hidden_size"), directions = both ? 2 : 1;
  const auto all = [&](const std::string& name) {
    const Tensor first = in_order(ex.weight_value(name + (direction == "reverse" ? "_reverse" : "")), order);
    return both ? joined_rows(first, in_order(ex.weight_value(name + "_reverse"), order)) : first;
  };
  const auto weight = [&](const std::string& name) {
    const Tensor rows = all(name);
    const int64_t columns = rows.dims()[1];
    return ex.initializer(rows.reshaped({directions, rows.dims()[0] / directions, columns}));
  };
  // The biases of both products, direction by direction.
  const auto bias = [&] {
    const int64_t gates = static_cast<int64_t>(order.size()) * hidden;
    const Tensor joined = joined_rows(all("bias_ih"), all("bias_hh"));
    std::vector<int64_t> rows;
    for (int64_t d = 0; d < directions; ++d)
      for (int64_t product = 0; product < 2; ++product)
        for (int64_t i = 0; i < gates; ++i) rows.push_back((product * directions + d) * gates + i);
    return ex.initializer(rows_of(joined, rows).reshaped({directions, 2 * gates}));
  };
  const std::vector<int64_t> swap{1, 0, 2};
  std::vector<std::string> inputs{ex.add("Transpose", {ex.in("x")}, {{"perm", swap}}), weight("weight_ih"),
                                  weight("weight_hh"), biased ? bias() : "", ""};
  for (const std::string& state : states) {
    if (!ex.has("initial_" + state)) {
      inputs.emplace_back();
      continue;
    }
    const auto parts = ex.add("Reshape", {ex.in("initial_" + state), ex.integers_value({0, directions, hidden})});
    inputs.push_back(ex.add("Transpose", {parts}, {{"perm", swap}}));
  }
  while (inputs.back().empty()) inputs.pop_back();
  Exporter::Attributes attributes{{"hidden_size", hidden}, {"direction", direction}};
  if (op == "GRU") attributes["linear_before_reset"] = int64_t{1};
  const std::string y = ex.add(op, inputs, attributes);
  auto& outputs = ex.model().graph.nodes.back().outputs;
  std::vector<std::string> last;
  for (const std::string& state : states) {
    last.push_back(ex.wants(state) ? y + "_" + state : "");
    outputs.push_back(last.back());
  }
  while (outputs.back().empty()) outputs.pop_back();
  if (ex.wants("y")) {
    const auto steps = ex.add("Transpose", {y}, {{"perm", std::vector<int64_t>{2, 0, 1, 3}}});
    ex.add("Reshape", {steps, ex.integers_value({0, 0, directions * hidden})}, {}, ex.out("y"));
  }
  for (size_t i = 0; i < states.size(); ++i) {
    if (last[i].empty()) continue;
    const auto rows = ex.add("Transpose", {last[i]}, {{"perm", swap}});
    ex.add("Reshape", {rows, ex.integers_value({0, directions * hidden})}, {}, ex.out(states[i]));
  }
  return ok();
}

Status lstm(Exporter& ex) {
  return recurrent(ex, "LSTM", {0, 3, 1, 2}, {"hidden", "cell"});
}
Status gru(Exporter& ex) {
  return recurrent(ex, "GRU", {1, 0, 2}, {"hidden"});
}

}  // namespace

std::span<const ExportRow> export_recurrent_rules() {
  static constexpr ExportRow kRows[]{{"gru", gru}, {"lstm", lstm}};
  return kRows;
}

}  // namespace hw::interop
