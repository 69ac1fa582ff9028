// Parameter groups: which parameters learn at a rate, or decay, of their own.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/core/result.h"

namespace hw {

/// A line such as `backbone/* rate=0.1 weight_decay=0`.
struct ParameterGroup {
  std::string pattern;                 // of names "node.parameter", as of a shell: * ? [..] (POSIX fnmatch)
  double rate = 1;                     // multiplies the learning rate
  std::optional<double> weight_decay;  // none: that of the optimiser

  bool holds(const std::string& parameter) const;
};

/// One group a line; empty lines count for nothing. Error HW-P001 at the parameter `where`, with the line.
Result<std::vector<ParameterGroup>> parse_parameter_groups(const std::string& text, const std::string& where);

/// The first that holds the parameter; null: none does.
const ParameterGroup* group_of(const std::vector<ParameterGroup>& groups, const std::string& parameter);

}  // namespace hw
