// GivenInputs: values that the user gives to Inputs while a graph is evaluated: a file, a picture, a drawing.
#pragma once

#include <map>
#include <string>

#include "engine/evaluate/evaluation.h"
#include "engine/graph/lower/fit_inputs.h"

namespace hw::app {

struct GivenInput {
  Tensor value;          // as the Input declares it
  uint64_t version = 0;  // of the value; no other has it
};

/// By the path of an Input in the flat graph. Immutable once shared.
class GivenInputs {
 public:
  const GivenInput* find(const std::string& node) const {
    const auto found = by_node_.find(node);
    return found == by_node_.end() ? nullptr : &found->second;
  }
  void set(const std::string& node, GivenInput given) { by_node_[node] = std::move(given); }
  void remove(const std::string& node) { by_node_.erase(node); }
  const std::map<std::string, GivenInput>& all() const { return by_node_; }

 private:
  std::map<std::string, GivenInput> by_node_;
};

/// What takes the place of their outputs.
inline GivenValues values_of(const GivenInputs& given) {
  GivenValues values;
  for (const auto& [node, input] : given.all()) values[{node, "y"}] = input.value;
  return values;
}

/// The graph with Inputs that are what is given: see hw::fit_inputs.
inline Graph with_inputs(const Graph& flat, const GivenValues& given) {
  GivenSizes sizes;
  for (const auto& [socket, value] : given) sizes[socket] = value.dims();
  Graph fitted = flat;
  fit_inputs(fitted, sizes);
  return fitted;
}

}  // namespace hw::app
