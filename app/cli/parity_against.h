// parity --against: a graph beside tensors that another program wrote.
#pragma once

#include "app/cli/weights_choice.h"

namespace hw::cli {

struct AgainstChoice {
  std::string folder;  // of .npy files, each named as its tensor; "": not asked for
  std::string map;     // JSON: {"name in the dump": "node.socket"}
  double relative = 1e-3;
};

void add_against(CLI::App& command, AgainstChoice& choice);

int parity_against(const GraphOptions& graph, const WeightsChoice& weights, const std::string& device,
                   const AgainstChoice& choice, bool json);

}  // namespace hw::cli
