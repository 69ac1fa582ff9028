// Parameter groups: rates and decays of their own, from the text to the update.
#include "engine/node/parameter_groups.h"

#include <gmock/gmock.h>

#include "engine/core/codes.h"
#include "engine/train/session.h"
#include "tests/engine/graph_builder.h"
#include "tests/engine/quad_assets.h"

namespace hw::test {
namespace {

TEST(ParameterGroups, AreALineEach) {
  const auto groups = parse_parameter_groups("backbone/* rate=0.1 weight_decay=0\n\n  *.bias weight_decay=1e-3\n", "");
  ASSERT_TRUE(groups) << groups.error().text();
  ASSERT_EQ(groups->size(), 2u);
  EXPECT_EQ((*groups)[0].rate, 0.1);
  EXPECT_EQ((*groups)[0].weight_decay, 0.0);
  EXPECT_EQ((*groups)[1].rate, 1);
  EXPECT_EQ((*groups)[1].weight_decay, 1e-3);
  EXPECT_EQ(group_of(*groups, "backbone/block 1/conv.bias"), &(*groups)[0]) << "the first counts";
  EXPECT_EQ(group_of(*groups, "head.bias"), &(*groups)[1]);
  EXPECT_EQ(group_of(*groups, "head.weight"), nullptr);
}

TEST(ParameterGroups, SayWhatIsWrong) {
  for (const auto& [text, reason] :
       {std::pair("head.*", "neither rate=FACTOR nor weight_decay=VALUE"),
        std::pair("head.* lr=1", "\"lr=1\" is neither"), std::pair("a rate=-1", "a factor"),
        std::pair("a rate=nan", "a factor"), std::pair("a rate=1x", "a factor"),
        std::pair("a weight_decay=2", "0 to 1 is wanted")}) {
    const auto groups = parse_parameter_groups(text, "parameter_groups");
    ASSERT_FALSE(groups) << text;
    EXPECT_EQ(groups.error().code, codes::bad_parameter);
    EXPECT_THAT(groups.error().reason, testing::HasSubstr(reason));
  }
}

/// y = b (a x), against the picture's colours.
Graph two_layers(const std::string& groups, double rate, const std::string& optimiser) {
  Graph g;
  const Edits edits{AddNode{node("picture", "image_source", {{"path", std::string("any")}})},
                    AddNode{node("pixels", "image_sampler", {{"points", int64_t{64}}})},
                    AddNode{node("a", "linear", {{"out_features", int64_t{8}}})},
                    AddNode{node("b", "linear", {{"out_features", int64_t{3}}})},
                    AddNode{node("loss", "mse")},
                    AddNode{node("train", "train",
                                 {{"steps", int64_t{1}},
                                  {"optimiser", optimiser},
                                  {"weight_decay", 0.01},
                                  {"learning_rate", rate},
                                  {"parameter_groups", groups}})},
                    AddLink{link("picture.image", "pixels.image")},
                    AddLink{link("pixels.position", "a.x")},
                    AddLink{link("a.y", "b.x")},
                    AddLink{link("b.y", "loss.prediction")},
                    AddLink{link("pixels.color", "loss.target")},
                    AddLink{link("loss.loss", "train.loss")}};
  const auto applied = apply_edits(g, edits);
  EXPECT_TRUE(applied) << applied.error().text();
  return g;
}

std::shared_ptr<const RunSnapshot> run(const Graph& graph, const std::string& device) {
  Session session(std::make_shared<QuadAssets>(), nullptr);
  session.start(graph, device);
  session.wait();
  return session.snapshot();
}

// After one step the group's parameters are those of a run at its rate, the others those of a run without groups.
TEST(ParameterGroups, LearnAtTheirOwnRate) {
  for (const char* device : {"ref", "cpu"}) {
    for (const OptimiserRow& row : kOptimisers) {
      const std::string optimiser(row.name);
      const auto both = run(two_layers("a.* rate=0.5", 0.1, optimiser), device);
      ASSERT_EQ(both->state, RunState::finished) << both->error->text();
      const auto slow = run(two_layers("", 0.05, optimiser), device),
                 fast = run(two_layers("", 0.1, optimiser), device);
      for (const char* name : {"a.weight", "a.bias"})
        EXPECT_EQ(both->weights->at(name).to_f64(), slow->weights->at(name).to_f64()) << device << optimiser << name;
      for (const char* name : {"b.weight", "b.bias"})
        EXPECT_EQ(both->weights->at(name).to_f64(), fast->weights->at(name).to_f64()) << device << optimiser << name;
    }
  }
}

TEST(ParameterGroups, OneThatHoldsNothingIsAWrongName) {
  const auto last = run(two_layers("backbone/* rate=0.5", 0.1, "sgd"), "cpu");
  ASSERT_EQ(last->state, RunState::failed);
  EXPECT_EQ(last->error->code, codes::bad_parameter);
  EXPECT_THAT(last->error->reason, testing::HasSubstr("\"backbone/*\""));
  EXPECT_THAT(last->error->remedy, testing::HasSubstr("\"a.weight\""));
}

}  // namespace
}  // namespace hw::test
