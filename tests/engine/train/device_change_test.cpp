// A run that goes on on another device.
#include <gmock/gmock.h>

#include "engine/graph/groups/flatten.h"
#include "engine/graph/groups/grouping.h"
#include "engine/train/session.h"
#include "tests/engine/graph_builder.h"
#include "tests/engine/quad_assets.h"

namespace hw::device_change_test {
namespace {

std::shared_ptr<const RunSnapshot> trained(Session& session, Graph graph, const std::string& device = "cpu") {
  session.start(std::move(graph), device);
  session.wait();
  return session.snapshot();
}

// Weights, moments and the loss scale: the steps behind are those of a run that stayed, but for rounding.
TEST(DeviceChange, GoesOnWithTheWeights) {
  Graph graph = test::texture_for(10);
  ASSERT_TRUE(apply_edits(graph, {SetParam{"train", "loss_scaling", ParamValue(std::string("dynamic"))}}));
  Session session(std::make_shared<test::QuadAssets>(), nullptr), stays(std::make_shared<test::QuadAssets>(), nullptr);
  trained(session, graph);
  const auto s = trained(session, graph, "ref");
  ASSERT_EQ(s->state, RunState::finished) << (s->error ? s->error->text() : "");
  EXPECT_EQ(s->step, 20u);
  EXPECT_THAT(s->notes, testing::Not(testing::Contains(testing::HasSubstr("anew"))));
  EXPECT_THAT(s->notes, testing::Contains(testing::HasSubstr("were trained on device cpu; ref rounds otherwise")));
  trained(stays, graph);
  const auto expected = trained(stays, graph);
  for (size_t i = 0; i < 20; ++i)
    EXPECT_NEAR((*s->losses)[i], (*expected->losses)[i], 1e-2f * (*expected->losses)[i]) << "step " << i;
  EXPECT_EQ(s->loss_scales->size(), expected->loss_scales->size());
  EXPECT_LT(trained(session, graph)->losses->back(), 0.7f * s->losses->front()) << "and back again";
}

TEST(DeviceChange, ToOneThatIsNotHereLosesNothing) {
  Session session(std::make_shared<test::QuadAssets>(), nullptr), stays(std::make_shared<test::QuadAssets>(), nullptr);
  trained(session, test::texture_for(10));
  EXPECT_EQ(trained(session, test::texture_for(10), "abacus")->state, RunState::failed);
  const auto s = trained(session, test::texture_for(10));
  ASSERT_EQ(s->state, RunState::finished) << (s->error ? s->error->text() : "");
  trained(stays, test::texture_for(10));
  EXPECT_EQ(*s->losses, *trained(stays, test::texture_for(10))->losses);
}

TEST(DeviceChange, WithWeightsOfOtherSizesBeginsAnewAndSaysSo) {
  Session session(std::make_shared<test::QuadAssets>(), nullptr);
  trained(session, test::texture_for(10));
  Graph wider = test::texture_for(10);
  ASSERT_TRUE(apply_edits(wider, {SetParam{"mlp", "width", ParamValue(int64_t{16})}}));
  const auto s = trained(session, wider, "ref");
  ASSERT_EQ(s->state, RunState::finished) << (s->error ? s->error->text() : "");
  EXPECT_EQ(s->step, 10u);
  EXPECT_THAT(s->notes, testing::Contains(testing::HasSubstr("The run begins anew on ref: ")));
  EXPECT_EQ(trained(session, wider, "ref")->step, 20u);
}

TEST(DeviceChange, GoesOnWithTheWeightsOfNodesThatMovedInTheSameMoment) {
  Graph graph = test::texture_for(10);
  Session session(std::make_shared<test::QuadAssets>(), nullptr);
  const float last = trained(session, graph)->losses->back();
  const auto grouped = make_group(document_scope(graph), {"mlp"});
  ASSERT_TRUE(grouped && apply_edits(graph, grouped->edits));
  session.update_graph(flatten(graph), grouped->moved);
  const auto s = trained(session, flatten(graph), "ref");
  ASSERT_EQ(s->state, RunState::finished) << (s->error ? s->error->text() : "");
  EXPECT_EQ(s->step, 20u);
  EXPECT_THAT(s->notes, testing::Not(testing::Contains(testing::HasSubstr("anew"))));
  EXPECT_LT((*s->losses)[10], 1.5f * last);
}

// As many steps more as the Train node says now.
TEST(DeviceChange, HearsAnotherNumberOfSteps) {
  Session session(std::make_shared<test::QuadAssets>(), nullptr);
  trained(session, test::texture_for(10));
  EXPECT_EQ(trained(session, test::texture_for(4), "ref")->step, 14u);
}

// The weights are those before the step that failed.
TEST(DeviceChange, OfARunThatFailedGoesOnFromItsSoundWeights) {
  Graph graph = test::texture_for(50);
  ASSERT_TRUE(apply_edits(graph, {AddLink{test::link("mlp.y", "mse.prediction")},
                                  SetParam{"train", "optimiser", ParamValue(std::string("sgd"))},
                                  SetParam{"train", "learning_rate", ParamValue(100.0)}}));
  Session session(std::make_shared<test::QuadAssets>(), nullptr);
  ASSERT_EQ(trained(session, graph)->state, RunState::failed);
  const uint64_t before = session.snapshot()->step;
  ASSERT_GT(before, 0u);
  ASSERT_TRUE(apply_edits(graph, {SetParam{"train", "learning_rate", ParamValue(1e-9)}}));
  session.start(graph, "ref", 1);
  session.wait();
  const auto s = session.snapshot();
  ASSERT_EQ(s->state, RunState::finished) << (s->error ? s->error->text() : "");
  EXPECT_EQ(s->step, before + 1);
  EXPECT_THAT(s->notes, testing::Contains(testing::HasSubstr("were trained on device cpu")));
}

}  // namespace
}  // namespace hw::device_change_test
