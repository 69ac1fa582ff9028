// Keys of what is computed: equal exactly where the computation is.
#include "app/models/tensors/cone_keys.h"

#include <gtest/gtest.h>

#include "app/models/tensors/content_cache.h"
#include "engine/graph/edit.h"
#include "tests/app/support.h"

namespace hw::app::testing {
namespace {

Graph base() {
  Graph graph;
  graph.add_node(node("c", "constant"));
  graph.add_node(node("l", "linear"));
  graph.add_node(node("r", "relu"));
  graph.add_node(node("other", "relu"));
  graph.add_link({"c", "y", "l", "x"});
  graph.add_link({"l", "y", "r", "x"});
  graph.add_link({"c", "y", "other", "x"});
  return graph;
}

EvaluationInputs inputs() {
  EvaluationInputs made;
  made.device = "cpu";
  made.given = std::make_shared<const GivenInputs>();
  return made;
}

QByteArray key(const Graph& graph, const char* node = "r", const EvaluationInputs& with = inputs()) {
  return ConeKeys(graph, with).of(node);
}

QByteArray after(const Edits& edits, const char* node = "r") {
  Graph graph = base();
  EXPECT_TRUE(apply_edits(graph, edits));
  return key(graph, node);
}

TEST(ConeKeys, LooksDoNotCountAndWhatComputesDoes) {
  const QByteArray before = key(base());
  EXPECT_EQ(after({MoveNode{"l", 40, 8}}), before);
  EXPECT_EQ(after({SetLabel{"l", "Name"}}), before);
  EXPECT_EQ(after({SetPreview{"l", true}}), before);
  EXPECT_EQ(after({SetFlags{"l", true, false}}), before);
  EXPECT_EQ(after({RemoveLink{{"c", "y", "other", "x"}}}), before) << "elsewhere";
  EXPECT_NE(after({SetParam{"c", "value", 2.0}}), before) << "at the beginning of the cone";
  EXPECT_NE(after({SetFlags{"l", false, true}}), before);
  EXPECT_NE(after({SetDevice{"l", "ref"}}), before);
  EXPECT_NE(after({RemoveLink{{"c", "y", "l", "x"}}}), before);
  EXPECT_NE(key(base(), "l"), before);
  EXPECT_EQ(after({SetParam{"c", "value", 2.0}, SetParam{"c", "value", std::nullopt}}), before) << "back again";
}

TEST(ConeKeys, WeightsCountWhereThereAreAny) {
  EvaluationInputs with = inputs();
  with.weights = 1;
  EXPECT_NE(key(base(), "r", with), key(base()));
  EXPECT_EQ(key(base(), "other", with), key(base(), "other"));
}

TEST(ConeKeys, WithWhatItIsEvaluatedCounts) {
  const QByteArray before = key(base());
  for (const auto change : {+[](EvaluationInputs& i) { i.training = true; }, +[](EvaluationInputs& i) { i.seed = 1; },
                            +[](EvaluationInputs& i) { i.step = 1; }, +[](EvaluationInputs& i) { i.device = "ref"; },
                            +[](EvaluationInputs& i) { i.files = 1; }}) {
    EvaluationInputs with = inputs();
    change(with);
    EXPECT_NE(key(base(), "r", with), before);
  }
}

TEST(ConeKeys, AChainOfAnyLengthIsWalked) {
  Graph graph;
  constexpr int kNodes = 20'000;
  for (int i = 0; i < kNodes; ++i) graph.add_node(node("n" + std::to_string(i), "relu"));
  for (int i = 1; i < kNodes; ++i) graph.add_link({"n" + std::to_string(i - 1), "y", "n" + std::to_string(i), "x"});
  graph.add_link({"n" + std::to_string(kNodes - 1), "y", "n0", "x"});  // a circle ends, too
  EXPECT_FALSE(key(graph, "n19999").isEmpty());
}

TEST(ContentCache, KeepsWhatWasUsedLastWithinItsBytes) {
  ContentCache<int> cache(100);
  cache.put("a", std::make_shared<const int>(1), 40);
  cache.put("b", std::make_shared<const int>(2), 40);
  EXPECT_EQ(*cache.find("a"), 1);
  cache.put("c", std::make_shared<const int>(3), 40);
  EXPECT_TRUE(cache.find("a"));
  EXPECT_FALSE(cache.find("b")) << "the one that was not used for longest";
  EXPECT_EQ(cache.bytes(), 80u);
  cache.put("huge", std::make_shared<const int>(4), 51);
  EXPECT_FALSE(cache.find("huge"));
  cache.put("a", std::make_shared<const int>(5), 10);
  EXPECT_EQ(*cache.find("a"), 5);
  EXPECT_EQ(cache.bytes(), 50u);
}

}  // namespace
}  // namespace hw::app::testing
