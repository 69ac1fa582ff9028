// parity --against: a graph beside tensors that another program wrote.
#pragma once

#include "app/cli/options/weights_choice.h"

namespace hw::cli {

struct AgainstChoice {
  std::string folder;            // of .npy files, each named as its tensor; "": not asked for
  std::vector<std::string> map;  // "name in the dump=node.socket", or a .json file, an object of these
  double relative = 1e-3;
};

void add_against(CLI::App& command, AgainstChoice& choice);

/// HW-C001: what only a dump has a use for is given without one.
Status check_against(const AgainstChoice& choice);

/// The exit code.
int parity_against(const GraphRequest& graph, const WeightsChoice& weights, const std::string& device,
                   const AgainstChoice& choice, bool json);

}  // namespace hw::cli
