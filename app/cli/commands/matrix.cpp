// matrix: what a node does with every pair of input dtype and weight dtype.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/cli/commands/commands.h"
#include "app/cli/options/device_choice.h"
#include "app/cli/print/json_output.h"
#include "app/cli/print/report.h"
#include "engine/precision/precision_matrix.h"

namespace hw::cli::matrix_command {
namespace {

using nlohmann::ordered_json;
using Verdict = PrecisionCell::Verdict;

std::string short_text(const PrecisionCell& cell) {
  if (cell.verdict == Verdict::native) return "native";
  if (cell.verdict == Verdict::refused) return "refused";
  return "cast " + std::string(name(cell.compute)) + (cell.exact ? "" : " !");
}

ordered_json to_json(const PrecisionMatrix& m, const Device& device) {
  ordered_json j{{"node", m.node}, {"device", device.id()}, {"rows", m.rows}, {"columns", m.columns}};
  j["cells"] = ordered_json::array();
  for (size_t r = 0; r < m.cells.size(); ++r) {
    for (size_t c = 0; c < m.cells[r].size(); ++c) {
      const PrecisionCell& cell = m.cells[r][c];
      ordered_json& object = j["cells"].emplace_back(ordered_json{{"input", name(m.inputs[r])}});
      if (!m.weights.empty()) object["weights"] = name(m.weights[c]);
      object["verdict"] = name(cell.verdict);
      if (cell.verdict != Verdict::refused) {
        object["compute"] = name(cell.compute);
        object["exact"] = cell.exact;
      }
      if (!cell.why.empty()) object["why"] = cell.why;
    }
  }
  return j;
}

void print(const PrecisionMatrix& m, const Device& device) {
  std::printf("%s on %s: rows are the dtype of %s%s%s\n\n%-8s", m.node.c_str(), device.id().c_str(), m.rows.c_str(),
              m.columns.empty() ? "" : ", columns that of ", m.columns.c_str(), "");
  for (const DType d : m.weights) std::printf(" %-12s", std::string(name(d)).c_str());
  std::printf("\n");
  for (size_t r = 0; r < m.cells.size(); ++r) {
    std::printf("%-8s", std::string(name(m.inputs[r])).c_str());
    for (const PrecisionCell& cell : m.cells[r]) std::printf(" %-12s", short_text(cell).c_str());
    std::printf("\n");
  }
  std::printf("\nnative: as it is. cast D: through visible casts, computed in D; ! where one rounds. Why:\n");
  for (size_t r = 0; r < m.cells.size(); ++r) {
    for (size_t c = 0; c < m.cells[r].size(); ++c) {
      const PrecisionCell& cell = m.cells[r][c];
      if (cell.why.empty()) continue;
      std::string pair(name(m.inputs[r]));
      if (!m.weights.empty()) pair += " × " + std::string(name(m.weights[c]));
      std::printf("  %s: %s: %s\n", pair.c_str(), std::string(name(cell.verdict)).c_str(), cell.why.c_str());
    }
  }
}

int matrix(const std::string& node, const std::string& device_id, bool json) {
  const auto device = choose_device(device_id);
  if (!device) return report(device.error());
  const auto found = precision_matrix(**device, node);
  if (!found) {
    Error error = found.error();
    error.where = "<node> " + node;
    return report(error);
  }
  if (json) {
    print_json(to_json(*found, **device));
  } else {
    print(*found, **device);
  }
  return kDone;
}

}  // namespace

void add(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand("matrix", "What a node does with every pair of dtypes: native, cast, refused");
  auto node = std::make_shared<std::string>(), device = std::make_shared<std::string>("cpu");
  auto json = std::make_shared<bool>(false);
  command->add_option("node", *node, "A node type, such as linear; see halfwire-cli nodes")->required();
  add_device(*command, *device);
  add_json(*command, *json);
  command->callback([=, &chosen] { chosen = [=] { return matrix(*node, *device, *json); }; });
}

}  // namespace hw::cli::matrix_command
