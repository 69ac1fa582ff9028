// NodeCase: one example of one node type in one dtype, lowered the way the engine lowers a node.
#pragma once

#include <ostream>

#include "engine/backend/backend.h"
#include "engine/node/node_type.h"

namespace hw::test {

struct NodeCase {
  std::string name;  // "hash_grid_space_f16": letters, digits, underscores
  const NodeType* type = nullptr;
  Example example;  // dtypes and parameters as they are run
};
void PrintTo(const NodeCase& c, std::ostream* out);

/// Every registered node × example × float dtype that its sockets and dtype parameters admit.
std::vector<NodeCase> all_cases();
/// Every registered node × example that wants a gradient check, with all float tensors and dtype parameters in f64.
std::vector<NodeCase> gradient_cases();
std::string case_name(const NodeCase& c);

/// Uniform in [lo, hi), a function of `seed_text` and the element; integers are rounded down, bool is the upper half.
Tensor random_tensor(const std::string& seed_text, DType dtype, const Dims& dims, double lo, double hi);

/// A case lowered in training mode as node "node".
struct LoweredCase {
  std::shared_ptr<Program> program = std::make_shared<Program>();
  std::unique_ptr<OpBuilder> builder;
  std::vector<std::pair<std::string, Tensor>> inputs;  // by the name of the program's input
  std::vector<Val> input_values;
  Lowered outputs;
  Result<Shapes> shapes = Shapes{};  // what shape() said

  std::vector<Val> tensor_outputs() const;
};
/// Failures are in builder->status() and `shapes`.
LoweredCase lower_case(const NodeCase& c, bool training = true);
/// Whether the adjoint of the node's float outputs reaches one of its inputs.
bool passes_gradient(const NodeCase& c);

/// Compiled, with inputs written, and every parameter in ±max(its initial bound, …), so that tolerances mean something.
struct RunningCase {
  std::shared_ptr<Device> device;
  std::shared_ptr<States> states;
  std::unique_ptr<Executable> executable;

  Status run() { return executable->run({.seed = 7, .step = 3, .update = {}}); }
};
/// `keep`: values to read after run(). They become outputs of the program.
Result<RunningCase> start(LoweredCase& lowered, const std::string& device, std::span<const Val> keep);

}  // namespace hw::test
