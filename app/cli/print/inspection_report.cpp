#include "app/cli/print/inspection_report.h"

#include <cstdio>

#include "app/cli/print/draws.h"
#include "app/cli/print/tensor_json.h"
#include "app/cli/print/tensor_text.h"
#include "app/workspace/json.h"

namespace hw::cli {
namespace {

using nlohmann::ordered_json;
using Item = NodeInspection::Item;

/// The kernels of a node, chosen by work, and where it has several layers those of each.
void print_kernels(const NodeKernels& kernels) {
  const auto line = [](const std::string& what, const KernelInfo& kernel) {
    if (!kernel.implementation.empty()) std::printf("  %s: %s\n", what.c_str(), text_of(kernel).c_str());
  };
  line("forward", kernels.forward);
  if (kernels.backward) line("backward", *kernels.backward);
  for (const NodeKernels::Layer& layer : kernels.layers) {
    line(layer.param + ", forward", layer.forward);
    if (layer.backward) line(layer.param + ", backward", *layer.backward);
  }
}

void print_tensor(const InspectionReport& r, const std::string& name, const Tensor& tensor, const std::string& indent) {
  std::printf("%s%s", describe(tensor, indent).c_str(), describe_components(tensor, indent).c_str());
  if (const auto file = r.files.find(name); file != r.files.end()) std::printf("  %s\n", file->second.c_str());
}

/// {file}, then the statistics.
ordered_json value_json(const InspectionReport& r, const std::string& name, const Tensor& tensor) {
  const auto file = r.files.find(name);
  ordered_json j{{"file", file == r.files.end() ? ordered_json() : ordered_json(file->second)}};
  j.update(tensor_json(tensor));
  return j;
}

ordered_json item_json(const InspectionReport& r, const Item& item) {
  const std::string full = r.inspection.node + "." + item.name;
  ordered_json j{{"name", item.name}, {"kind", item.is_param ? "parameter" : "wire"}};
  if (item.value.empty())
    j["available"] = false;
  else
    j.update(value_json(r, full, item.value));
  if (!r.gradients) return j;
  if (item.gradient.empty()) {
    j["gradient"] = nullptr;
    j["no_gradient_because"] = item.no_gradient_because;
    return j;
  }
  j["gradient"] = {{"gradient_scale", item.gradient_scale}};
  j["gradient"].update(value_json(r, full + ".grad", item.gradient));
  return j;
}

}  // namespace

void print(const InspectionReport& r) {
  const NodeInspection& inspection = r.inspection;
  std::printf("%s at step %llu, before its update\n", inspection.node.c_str(),
              static_cast<unsigned long long>(inspection.step) + 1);
  print_kernels(inspection.kernels);
  const std::string draws =
      r.seed ? draw_text_of_node(r.graph, inspection.node, *r.seed, inspection.step) : std::string();
  if (!draws.empty()) std::printf("draws from %s\n", draws.c_str());
  for (const Item& item : inspection.items) {
    const std::string full = inspection.node + "." + item.name;
    std::printf("%s%s\n", full.c_str(), item.is_param ? " (parameter)" : "");
    if (item.value.empty())
      std::printf("  not available\n");
    else
      print_tensor(r, full, item.value, "  ");
    if (!r.gradients) continue;
    if (item.gradient.empty()) {
      std::printf("  no gradient: %s\n", item.no_gradient_because.c_str());
      continue;
    }
    std::printf("  gradient, stored times %.10g\n", item.gradient_scale);
    print_tensor(r, full + ".grad", item.gradient, "    ");
  }
}

ordered_json to_json(const InspectionReport& r) {
  const NodeInspection& inspection = r.inspection;
  ordered_json values = ordered_json::array();
  for (const Item& item : inspection.items) values.push_back(item_json(r, item));
  return {{"node", inspection.node},
          {"step", inspection.step + 1},
          {"kernels", workspace::to_json(inspection.kernels)},
          {"draws", to_json(r.seed ? draw_of_node(r.graph, inspection.node, *r.seed, inspection.step) : std::nullopt)},
          {"values", values}};
}

}  // namespace hw::cli
