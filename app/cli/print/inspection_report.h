// A node's tensors, gradients and parameters at a step: in words, and as JSON.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "engine/graph/graph.h"
#include "engine/instrument/node_inspection.h"

namespace hw::cli {

/// An inspection, and what goes with it.
struct InspectionReport {
  const NodeInspection& inspection;
  const Graph& graph;            // that was trained
  std::optional<uint64_t> seed;  // of the training; none: the node's values were given, and it drew nothing
  bool gradients = false;        // whether they are wanted
  /// That were written, by NODE.NAME; gradients by NODE.NAME.grad.
  std::map<std::string, std::string> files = {};
};

void print(const InspectionReport& report);

/// {node, step, kernels, draws, values}. A value is {name, kind, file} and its statistics (tensor_json), or available:
/// false; where gradients are wanted also gradient {gradient_scale, file} and its statistics, or null and
/// no_gradient_because.
nlohmann::ordered_json to_json(const InspectionReport& report);

}  // namespace hw::cli
