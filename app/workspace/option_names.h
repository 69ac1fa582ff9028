// What the options of a program are called by which its user says what a graph is run with.
#pragma once

#include <string>

namespace hw::workspace {

/// Errors and notes name them: "--set" and so on of a terminal. Empty: there is no such option, and none is named.
struct OptionNames {
  std::string set = {};      // a parameter
  std::string pin = {};      // the device of a node
  std::string allow = {};    // what else may be read
  std::string device = {};   // the graph's
  std::string input = {};    // values of Inputs and wires
  std::string output = {};   // a wire to compute
  std::string node = {};     // a viewer
  std::string weights = {};  // a file, or kNoWeights
  std::string convert = {};  // weights of other float dtypes
};

/// What was given by an option: "--device cuda:0"; without an option that alone.
inline std::string by_option(const std::string& option, const std::string& given) {
  return option.empty() ? given : option + " " + given;
}

}  // namespace hw::workspace
