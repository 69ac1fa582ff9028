// How many operators a model asks for: a file of a few hundred bytes may ask for any number, by functions that call
// others twice.
#pragma once

#include <map>
#include <string_view>
#include <tuple>

#include "app/interop/onnx/model.h"

namespace hw::interop {

constexpr size_t kMostOperators = 1 << 18;

/// Operators that a model may have: up to kMostOperators, fewer where the file has few of which functions make many.
size_t most_operators(const OnnxModel& model);

/// The functions of a model, by their names. The model outlives it.
class Functions {
 public:
  explicit Functions(const OnnxModel& model);
  /// The one that an operator calls; null: it calls none.
  const OnnxFunction* find(const OnnxNode& n) const;

 private:
  std::map<std::tuple<std::string_view, std::string_view, std::string_view>, const OnnxFunction*> by_name_;
};

/// Operators of a model, calls of functions with those inside and graphs with those inside among them; at most 1 more
/// than kMostOperators, which is also what a function counts that calls itself.
size_t count_operators(const OnnxModel& model);

/// These operators and those in their graphs, functions not inlined; counting ends above `most`.
size_t count_nested(const std::vector<OnnxNode>& nodes, size_t most);

}  // namespace hw::interop
