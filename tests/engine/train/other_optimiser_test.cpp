// Another optimiser while a session goes on: its moments begin there, those that are kept go on.
#include <gtest/gtest.h>

#include "engine/train/session.h"
#include "tests/engine/graph_builder.h"
#include "tests/engine/quad_assets.h"

namespace hw::other_optimiser_test {
namespace {

using test::link;
using test::node;

/// Two tensors that are drawn towards each other: every step sees the same.
Graph pair(const char* optimiser) {
  const ParamMap shape{{"shape", std::vector<double>{4, 3}}};
  const ParamMap settings{{"optimiser", std::string(optimiser)}, {"steps", int64_t{20}}};
  return test::built({AddNode{node("a", "parameter", shape)}, AddNode{node("b", "parameter", shape)},
                      AddNode{node("mse", "mse")}, AddNode{node("train", "train", settings)},
                      AddLink{link("a.y", "mse.prediction")}, AddLink{link("b.y", "mse.target")},
                      AddLink{link("mse.loss", "train.loss")}});
}

std::map<std::string, uint64_t> begun(Session& session) {
  std::map<std::string, uint64_t> begun;
  session.take_checkpoint([&](std::shared_ptr<const Checkpoint> c) {
    if (c) begun = c->begun;
  });
  session.wait();
  return begun;
}

TEST(OtherOptimiser, TriedAndUndoneChangesNothing) {
  std::vector<std::vector<float>> losses;
  for (const bool tried : {false, true}) {
    Session session(std::make_shared<test::QuadAssets>(), nullptr);
    session.start(pair("adam"), "cpu", 20);
    session.wait();
    for (const char* optimiser : {"lion", "adam"}) {
      if (tried) session.update_graph(pair(optimiser));
      session.wait();
    }
    session.start(pair("adam"), "cpu", 20);
    session.wait();
    ASSERT_EQ(session.snapshot()->state, RunState::finished);
    losses.push_back(*session.snapshot()->losses);
    EXPECT_FALSE(begun(session).contains("a.value#adam_m"));
  }
  EXPECT_EQ(losses[0].size(), 40u);
  EXPECT_EQ(losses[0], losses[1]);
}

TEST(OtherOptimiser, CountsTheUpdatesBeforeIt) {
  Session session(std::make_shared<test::QuadAssets>(), nullptr);
  const auto run = [&](const Graph& graph, uint64_t steps) {
    session.start(graph, "cpu", steps);
    session.wait();
    EXPECT_EQ(session.snapshot()->state, RunState::finished);
  };
  Graph scaled = pair("lion");  // whose loss scale has counted ten updates, and none since
  ASSERT_TRUE(apply_edits(scaled, {SetParam{"train", "loss_scaling", ParamValue(std::string("static"))}}));
  run(scaled, 10);
  run(pair("lion"), 30);
  run(pair("nadam"), 5);
  EXPECT_EQ(begun(session)["a.value#adam_m"], 40u);
}

}  // namespace
}  // namespace hw::other_optimiser_test
