// Symbolic sizes of a model: where each stands, and what it is while nothing is given.
#pragma once

#include <set>

#include "app/interop/onnx/model.h"

namespace hw::interop {

constexpr int64_t kMostSize = 1 << 28;  // that the user may ask for

struct ExampleSize {
  int64_t size;
  std::string from;  // what it is taken from, in words: "weight of Conv /conv1", "by its name: a batch"
};

/// A symbolic size of the inputs of a model.
struct SymbolicSize {
  struct Use {
    const OnnxValue* input;
    size_t axis;
  };
  std::string symbol;
  std::vector<Use> uses;
  ExampleSize example;
};

/// The symbol of axis `axis` of a graph input: its own, or one made of the input's name where the file has none.
std::string symbol_of(const OnnxValue& input, size_t axis);
/// A size to begin with: that which a layer's weight has, or by what the symbol says and where the axis stands: 1 for
/// batches, 16 for tokens, 224 for the sides of pictures, 3 for their colours.
ExampleSize example_size(const OnnxGraph& graph, const OnnxValue& input, size_t axis);
/// In the order of the file. They point into the graph.
std::vector<SymbolicSize> symbolic_sizes(const OnnxGraph& graph);
/// Why a number can be no size of an axis whose sizes are multiples of `multiple`, as a sentence; "": it can.
std::string size_problem(double size, int64_t multiple = 1);
/// A name for a symbol: of letters, digits and _, other than those in `taken`, among which it is then.
std::string axis_name(const std::string& symbol, std::set<std::string>& taken);

}  // namespace hw::interop
