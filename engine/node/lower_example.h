// One example of one node type as a program, lowered the way the engine lowers a node, with numbers to run it on.
#pragma once

#include "engine/node/node_type.h"

namespace hw {

/// The example with every dtype that may vary set to `dtype`; `all`: every float input, whatever its socket says.
Example example_in_dtype(const NodeType& type, Example example, DType dtype, bool all);

/// Uniform in [lo, hi), a function of `seed_text` and the element; integers are rounded down, bool is the upper half.
Tensor random_tensor(const std::string& seed_text, DType dtype, const Dims& dims, double lo, double hi);

/// The value of a tensor input in `dtype`: the program's input `port`, or made of the inputs before it.
Val example_value(OpBuilder& b, const ExampleInput& input, DType dtype, const std::string& port,
                  const LowerArgs::In& before);

/// An example lowered as node "node".
struct LoweredExample {
  std::shared_ptr<Program> program = std::make_shared<Program>();
  std::unique_ptr<OpBuilder> builder;
  std::vector<std::pair<std::string, Tensor>> inputs;  // by the name of the program's input; not those made of others
  std::vector<Val> input_values;
  Lowered outputs;
  Result<Shapes> shapes = Shapes{};  // what shape() said

  std::vector<Val> tensor_outputs() const;
};
/// Failures are in builder->status() and `shapes`.
LoweredExample lower_example(const NodeType& type, const Example& example, bool training = true);

/// Trainable parameters in ± max(their initial bound, …), so that tolerances mean something; views and masters, by
/// name.
std::map<std::string, Tensor> example_states(const Program& program);

}  // namespace hw
