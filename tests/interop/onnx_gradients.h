// Gradients of models of ONNX that are imported, against central differences.
#pragma once

#include <algorithm>

#include "engine/gradient/grad_check.h"
#include "tests/engine/graph_builder.h"
#include "tests/engine/quad_subject.h"
#include "tests/interop/onnx_models.h"

namespace hw::test {

/// The graph that trains on mean(y · random numbers), y of these sizes, with a 1 of shape [1] in the place of its
/// Input.
inline Graph trained(const interop::ImportedModel& model, const std::vector<double>& sizes) {
  Graph graph = model.graph;
  const std::string input = model.inputs.at("x");
  const SocketRef y = model.outputs.front().second;
  Edits edits{AddNode{node("of_each", "random", {{"shape", sizes}, {"axes", std::string()}})},
              AddNode{node("fixed", "constant", {{"value", 1.0}, {"shape", std::vector<double>{1}}})},
              AddNode{node("weighted", "mul")},
              AddNode{node("loss", "mean")},
              AddNode{node("train", "train")},
              AddLink{{y.node, y.socket, "weighted", "a"}},
              AddLink{link("of_each.y", "weighted.b")},
              AddLink{link("weighted.y", "loss.x")},
              AddLink{link("loss.y", "train.loss")}};
  for (Link l : graph.links()) {
    if (l.from != input) continue;
    l.from = "fixed";
    l.from_socket = "y";
    edits.emplace_back(AddLink{l});
  }
  edits.emplace_back(RemoveNode{input});
  const auto applied = apply_edits(graph, edits);
  EXPECT_TRUE(applied) << applied.error().text();
  return graph;
}

/// y, of these sizes, has right gradients for so many parameters.
inline void expect_gradients(const onnx::ModelProto& model, const std::vector<double>& sizes, int parameters,
                             const std::string& what) {
  const auto made = imported(model);
  ASSERT_TRUE(made) << what << made.error().text();
  ASSERT_TRUE(made->missing.empty()) << what << made->missing.front().reason;
  GradCheckOptions options;
  options.weights = std::make_shared<const Weights>(made->weights);
  const auto report = check_gradients(subject_of(trained(*made, sizes)), options);
  ASSERT_TRUE(report) << what << report.error().text();
  EXPECT_TRUE(report->passed()) << what;
  const auto reached = std::ranges::count_if(report->results, [](const GradResult& r) {
    return r.block.is_parameter && r.verdict != GradVerdict::dead && r.verdict != GradVerdict::zero;
  });
  EXPECT_EQ(reached, parameters) << what;
}

}  // namespace hw::test
