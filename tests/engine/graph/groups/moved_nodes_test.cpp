// What nodes have learnt goes along when they are grouped and ungrouped.
#include "engine/graph/groups/moved_nodes.h"

#include <gmock/gmock.h>

#include "engine/graph/groups/flatten.h"
#include "engine/graph/groups/grouping.h"
#include "engine/train/session.h"
#include "tests/engine/graph_builder.h"
#include "tests/engine/group_graphs.h"
#include "tests/engine/quad_assets.h"

namespace hw {
namespace {

using test::built;
using test::link;
using test::node;

TEST(MovedNodes, NamesFollowTheNodeOrTheInstanceAroundIt) {
  const MovedNodes moved{{"mlp", "group/mlp"}, {"stem", "group/stem"}, {"stem/special", "special"}};
  EXPECT_EQ(moved_name(moved, "mlp.layer_0.weight"), "group/mlp.layer_0.weight");
  EXPECT_EQ(moved_name(moved, "mlp#loss_scale"), "group/mlp#loss_scale");
  EXPECT_EQ(moved_name(moved, "mlp"), "group/mlp");
  EXPECT_EQ(moved_name(moved, "stem/block/conv.weight"), "group/stem/block/conv.weight");
  EXPECT_EQ(moved_name(moved, "stem/special.weight"), "special.weight") << "the nearest counts";
  EXPECT_EQ(moved_name(moved, "mlp_2.bias"), std::nullopt);
  EXPECT_EQ(moved_name(moved, "other/mlp.bias"), std::nullopt);
  EXPECT_EQ(moved_name(moved_back(moved), "group/mlp.bias"), "mlp.bias");
}

TEST(MovedNodes, KeysMayChangePlaces) {
  std::map<std::string, int> values{{"a.w", 1}, {"b.w", 2}, {"c.w", 3}};
  move_keys(values, {{"a", "b"}, {"b", "a"}});
  EXPECT_EQ(values, (std::map<std::string, int>{{"a.w", 2}, {"b.w", 1}, {"c.w", 3}}));
}

TEST(MovedNodes, AreThoseInAllInstancesOfTheGroupAround) {
  const Graph document =
      built({SetGroup{test::unit()}, AddNode{node("one", "group:unit")}, AddNode{node("two", "group:unit")}});
  const NodePlace place(document, "one/relu");
  const auto made = make_group(place.scope(), {"relu"});
  ASSERT_TRUE(made);
  const std::string inner = "/" + made->instance + "/relu";
  EXPECT_EQ(moved_in_document(place.scope(), made->moved),
            (MovedNodes{{"one/relu", "one" + inner}, {"two/relu", "two" + inner}}));
}

/// Two layers, without anything random behind their weights.
Graph model() {
  return built({AddNode{node("x", "constant", {{"shape", std::vector<double>{4, 3}}})},
                AddNode{node("target", "constant", {{"shape", std::vector<double>{4, 3}}, {"value", 0.5}})},
                AddNode{node("a", "linear", {{"out_features", int64_t{3}}})},
                AddNode{node("b", "linear", {{"out_features", int64_t{3}}})}, AddNode{node("mse", "mse")},
                AddNode{node("train", "train", {{"optimiser", std::string("adam")}, {"learning_rate", 0.01}})},
                AddLink{link("x.y", "a.x")}, AddLink{link("a.y", "b.x")}, AddLink{link("b.y", "mse.prediction")},
                AddLink{link("target.y", "mse.target")}, AddLink{link("mse.loss", "train.loss")}});
}

class Trained {
 public:
  explicit Trained(const std::string& device) : device_(device) {}
  std::vector<float> on(const Graph& graph, uint64_t steps) {
    session_.start(flatten(graph), device_, steps);
    session_.wait();
    const auto s = session_.snapshot();
    EXPECT_EQ(s->state, RunState::finished) << (s->error ? s->error->text() : "");
    return *s->losses;
  }
  void move(const Graph& graph, const MovedNodes& moved) {
    session_.update_graph(flatten(graph), moved);
    session_.wait();
  }
  std::shared_ptr<const RunSnapshot> snapshot() const { return session_.snapshot(); }

 private:
  const std::string device_;
  Session session_{std::make_shared<test::QuadAssets>(), nullptr};
};

TEST(MovedNodes, TrainOnAsIfNothingHadHappened) {
  for (const char* device : {"cpu", "ref"}) {
    SCOPED_TRACE(device);
    const std::vector<float> whole = Trained(device).on(model(), 30);
    Trained trained(device);
    Graph graph = model();
    trained.on(graph, 10);
    const auto grouped = make_group(document_scope(graph), {"a", "b"});
    ASSERT_TRUE(grouped);
    ASSERT_TRUE(apply_edits(graph, grouped->edits));
    trained.move(graph, grouped->moved);
    EXPECT_TRUE(trained.snapshot()->weights->contains(grouped->instance + "/a.weight"));
    EXPECT_FALSE(trained.snapshot()->weights->contains("a.weight"));
    trained.on(graph, 10);
    const auto back = ungroup(document_scope(graph), {grouped->instance});
    ASSERT_TRUE(back);
    ASSERT_TRUE(apply_edits(graph, back->edits));
    trained.move(graph, back->moved);
    EXPECT_EQ(trained.on(graph, 10), whole) << "weights and moments are those before";
  }
}

TEST(MovedNodes, WeightsToBeginWithMoveToo) {
  Graph graph = model();
  auto weights = std::make_shared<Weights>();
  for (const char* name : {"a.weight", "b.weight"})
    weights->emplace(name, Tensor::from_f64(DType::f32, {3, 3}, std::vector<double>(9, 0.25)));
  for (const char* name : {"a.bias", "b.bias"})
    weights->emplace(name, Tensor::from_f64(DType::f32, {3}, std::vector<double>(3, 0.125)));
  Session session(std::make_shared<test::QuadAssets>(), nullptr);
  session.load_weights(weights);
  const auto grouped = make_group(document_scope(graph), {"a", "b"});
  ASSERT_TRUE(grouped && apply_edits(graph, grouped->edits));
  session.update_graph(flatten(graph), grouped->moved);
  session.start(flatten(graph), "cpu", 1);
  session.wait();
  const auto s = session.snapshot();
  ASSERT_TRUE(s->weights) << (s->error ? s->error->text() : "");
  for (const double w : s->weights->at(grouped->instance + "/a.weight").to_f64())
    EXPECT_NEAR(w, 0.25, 0.0101) << "one step of Adam away";
}

}  // namespace
}  // namespace hw
