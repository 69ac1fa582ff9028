// Runs one node on ref with given tensors: for tests that know the answer.
#pragma once

#include <map>

#include "tests/nodes/node_case.h"

namespace hw::test {

struct NodeRun {
  std::string node;
  std::map<std::string, Tensor> inputs = {};
  ParamMap params = {};
  std::map<std::string, Tensor> weights = {};  // "weight": those not given keep random values
  bool training = true;
  bool with_mesh = false;   // wires example_mesh() into "mesh"
  bool with_image = false;  // example_picture() into "image"
  bool with_data = false;   // example_dataset() into "data"
};

/// The node's tensor outputs; failures are reported and give an empty list.
std::vector<Tensor> evaluate(const NodeRun& run);

/// What shape() says. `types`: by input socket.
Result<Shapes> shapes_of(const std::string& node, const ShapeArgs::In& types, const ParamMap& params = {});

}  // namespace hw::test
