// NodeCase: one example of one node type in one dtype, lowered the way the engine lowers a node.
#pragma once

#include <ostream>

#include "engine/backend/backend.h"
#include "engine/node/lower_example.h"

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

using LoweredCase = LoweredExample;
LoweredCase lower_case(const NodeCase& c, bool training = true);
/// Whether the adjoint of the node's float outputs reaches one of its inputs.
bool passes_gradient(const NodeCase& c);

/// Compiled, with inputs and example_states written.
struct RunningCase {
  std::shared_ptr<Device> device;
  std::shared_ptr<States> states;
  std::unique_ptr<Executable> executable;

  Status run() { return executable->run({.seed = 7, .step = 3, .update = {}}); }
};
/// `keep`: values to read after run(). They become outputs of the program.
Result<RunningCase> start(LoweredCase& lowered, std::shared_ptr<Device> device, std::span<const Val> keep);
Result<RunningCase> start(LoweredCase& lowered, const std::string& device, std::span<const Val> keep);

}  // namespace hw::test
