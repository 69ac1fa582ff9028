// A classifier that is trained in one batch or in micro-batches of it.
#pragma once

#include "engine/train/session.h"
#include "tests/engine/graph_builder.h"
#include "tests/engine/quad_assets.h"

namespace hw::test {

using Vector = std::vector<double>;

inline constexpr int64_t kClasses = 3, kSize = 4;

/// Samples of QuadAssets, 8 a step in their order: x [N, 4] → linear [N, 3]; labels 0, 1, 2, 0, … `losses`: from the
/// sockets batch.x, batch.labels and scores.y to train.loss.
inline Graph classifier(const Edits& losses, const ParamMap& train = {}) {
  ParamMap params{{"optimiser", std::string("sgd")}, {"learning_rate", 0.1}, {"steps", int64_t{3}}};
  for (const auto& [id, value] : train) params[id] = value;
  Edits edits{AddNode{node("data", "dataset_source",
                           {{"path", std::string("any")}, {"sample", Vector{kSize}}, {"classes", kClasses}})},
              AddNode{node("batch", "batch", {{"batch_size", int64_t{8}}, {"shuffle", false}})},
              AddNode{node("scores", "linear", {{"out_features", kClasses}})},
              AddNode{node("train", "train", params)},
              AddLink{link("data.data", "batch.data")},
              AddLink{link("batch.x", "scores.x")}};
  edits.insert(edits.end(), losses.begin(), losses.end());
  return built(edits);
}

/// `parts` micro-batches of `rows` samples each.
inline Graph in_parts(Graph graph, int64_t rows, int64_t parts) {
  EXPECT_TRUE(
      apply_edits(graph, {SetParam{"batch", "batch_size", rows}, SetParam{"train", "accumulate", ParamValue(parts)}}));
  return graph;
}

/// After `steps`, 0: those of the Train node.
inline std::shared_ptr<const RunSnapshot> trained(const Graph& graph, const char* device = "cpu",
                                                  std::shared_ptr<const Weights> weights = nullptr,
                                                  uint64_t steps = 0) {
  Session session(std::make_shared<QuadAssets>(), nullptr);
  if (weights) session.load_weights(std::move(weights));
  session.start(graph, device, steps);
  session.wait();
  const auto s = session.snapshot();
  EXPECT_EQ(s->state, RunState::finished) << (s->error ? s->error->text() : "");
  return s;
}

inline Edits joined(std::vector<Edits> lists) {
  Edits all;
  for (Edits& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

/// `weight` times the mean of the squares of `from`, a socket.
inline Edits mean_square(const std::string& from, double weight = 1) {
  return {AddNode{node("square", "mul")},
          AddNode{node("end", "mean")},
          AddNode{node("weight", "constant", {{"value", weight}})},
          AddNode{node("weighted", "mul")},
          AddLink{link(from, "square.a")},
          AddLink{link(from, "square.b")},
          AddLink{link("square.y", "end.x")},
          AddLink{link("end.y", "weighted.a")},
          AddLink{link("weight.y", "weighted.b")},
          AddLink{link("weighted.y", "train.loss")}};
}

}  // namespace hw::test
