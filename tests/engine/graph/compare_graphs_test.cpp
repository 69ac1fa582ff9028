// What two documents do not have in common: nodes, wires, frames, definitions, in groups too.
#include "engine/graph/compare_graphs.h"

#include <gtest/gtest.h>

#include <set>

#include "engine/graph/graph_diff.h"
#include "tests/engine/group_graphs.h"

namespace hw {
namespace {

using test::link;
using test::node;
using Change = Difference::Kind;
using Of = Difference::Of;

Graph edited(Graph graph, const Edits& edits) {
  EXPECT_TRUE(apply_edits(graph, edits));
  return graph;
}

TEST(CompareGraphs, AGraphIsTheSameAsItself) {
  const Graph graph = test::grouped();
  EXPECT_TRUE(compare_graphs(graph, graph).empty());
  EXPECT_TRUE(same(compare_graphs(graph, graph)));
}

TEST(CompareGraphs, PlacesAloneAreNoDifference) {
  const Graph graph = test::neural_texture();
  Frame frame;
  frame.id = "f";
  frame.width = 100;
  Frame wider = frame;
  wider.width = 300;
  const GraphComparison found =
      compare_graphs(edited(graph, {SetFrame{frame}}),
                     edited(graph, {SetFrame{wider}, MoveNode{"mlp", 40, 8}, SetFlags{"mse", true, false}}));
  EXPECT_TRUE(same(found));
  EXPECT_EQ(found.at("").moved, (std::vector<std::string>{"mlp", "mse", "f"}));
}

TEST(CompareGraphs, NamesEachNodeWireAndField) {
  const Graph before = edited(test::neural_texture(), {MoveNode{"mlp", 500, 0}, MoveNode{"cast", 400, 0}});
  const Graph after =
      edited(before, {RemoveNode{"cast"}, AddNode{node("relu", "relu")}, AddLink{link("hash_grid.features", "mlp.x")},
                      SetParam{"mlp", "width", ParamValue(int64_t{64})}, SetLabel{"mlp", "Decoder"},
                      SetFrozen{"mlp", true}, SetPolicy{{Policy::negotiate, DType::bf16}}});
  const GraphComparison found = compare_graphs(before, after);
  ASSERT_EQ(found.size(), 1u);
  const std::vector<Difference>& list = found.at("").differences;
  const auto of = [&](Change kind, Of what) {
    std::vector<Difference> some;
    for (const Difference& d : list)
      if (d.kind == kind && d.of == what) some.push_back(d);
    return some;
  };
  EXPECT_EQ(of(Change::removed, Of::node), (std::vector<Difference>{{Change::removed, Of::node, "cast"}}));
  EXPECT_EQ(of(Change::added, Of::node), (std::vector<Difference>{{Change::added, Of::node, "relu"}}));
  ASSERT_EQ(of(Change::removed, Of::wire).size(), 2u);
  ASSERT_EQ(of(Change::added, Of::wire).size(), 1u);
  EXPECT_EQ(of(Change::added, Of::wire)[0].link, link("hash_grid.features", "mlp.x"));
  ASSERT_EQ(of(Change::changed, Of::node).size(), 1u);
  EXPECT_EQ(of(Change::changed, Of::node)[0].fields,
            (std::vector<FieldChange>{{"label", "", "Decoder"}, {"width", "32", "64"}, {"frozen", "no", "yes"}}));
  EXPECT_EQ(of(Change::changed, Of::graph)[0].fields,
            (std::vector<FieldChange>{{"precision policy", "strict", "negotiate"}}));
  EXPECT_EQ(list.size(), 7u);
  EXPECT_FALSE(same(found));
  EXPECT_EQ(words_of(of(Change::removed, Of::node)[0], before), "node cast (Cast)");
  EXPECT_EQ(words_of(of(Change::added, Of::wire)[0], after), "wire hash_grid.features → mlp.x");
  // The other way round what was added is removed.
  const std::vector<Difference> back = compare_graphs(after, before).at("").differences;
  EXPECT_EQ(back.size(), list.size());
  EXPECT_EQ(std::ranges::count(back, Change::added, &Difference::kind),
            std::ranges::count(list, Change::removed, &Difference::kind));
}

TEST(CompareGraphs, ComeFromLeftToRight) {
  const Graph before = test::built({AddNode{node("a", "relu")}, AddNode{node("b", "relu")}, MoveNode{"a", 900, 0}});
  const Graph after = edited(before, {SetLabel{"a", "A"}, SetLabel{"b", "B"}});
  const auto list = compare_graphs(before, after).at("").differences;
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0].id, "b");
  EXPECT_EQ(list[1].id, "a");
}

TEST(CompareGraphs, ANodeOfAnotherTypeIsChanged) {
  const Graph before = test::built({AddNode{node("a", "relu")}}), after = test::built({AddNode{node("a", "sin")}});
  const auto list = compare_graphs(before, after).at("").differences;
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(list[0].fields, (std::vector<FieldChange>{{"type", "relu", "sin"}}));
}

TEST(CompareGraphs, DefinitionsAreLookedIntoAndTheirInstancesMarked) {
  const Graph before = test::grouped();
  Graph after = before;
  Group unit = test::unit();
  ASSERT_TRUE(apply_edits(unit.graph, {SetParam{"dropout", "p", ParamValue(0.75)}, RemoveNode{"relu"}}));
  after.set_group(unit);
  const GraphComparison found = compare_graphs(before, after);
  ASSERT_EQ(found.size(), 4u) << "the document, two that hold it, and the definition";
  std::set<std::string> words;
  for (const Difference& d : found.at("unit").differences)
    words.insert(std::string(d.kind == Change::removed ? "- " : "~ ") + words_of(d, before.find_group("unit")->graph));
  EXPECT_EQ(words, (std::set<std::string>{"- node relu (ReLU)", "- wire linear.y → relu.x", "- wire relu.y → dropout.x",
                                          "~ node dropout (Dropout)"}));
  for (const char* level : {"", "block", "tower"}) {
    ASSERT_EQ(found.at(level).differences.size(), 2u) << level;
    for (const Difference& d : found.at(level).differences) {
      EXPECT_TRUE(d.inside);
      EXPECT_TRUE(d.fields.empty());
      EXPECT_EQ(d.kind, Change::changed);
    }
  }
  Graph without = before;
  without.remove_group("tower");
  EXPECT_EQ(compare_graphs(before, without).at("").differences,
            (std::vector<Difference>{{Change::removed, Of::graph, "tower"}}));
}

TEST(CompareGraphs, WiresThatBothHaveAreNoDifferenceWhateverTheirOrder) {
  // Sorted by where they lead to, "b" comes before "a" by where they come from.
  const Graph before =
      test::built({AddNode{node("a", "relu")}, AddNode{node("b", "relu")}, AddNode{node("c", "relu")},
                   AddNode{node("d", "relu")}, AddLink{link("b.y", "c.x")}, AddLink{link("a.y", "d.x")}});
  const Graph after = edited(before, {RemoveLink{link("b.y", "c.x")}});
  EXPECT_EQ(diff(before, after).links, (std::vector<Link>{link("b.y", "c.x")}));
  ASSERT_EQ(compare_graphs(before, after).at("").differences.size(), 1u);
}

TEST(CompareGraphs, FramesAreReported) {
  const Graph graph = test::built({AddNode{node("a", "relu")}});
  Frame frame;
  frame.id = "f";
  frame.width = 100;
  Frame note = frame;
  note.text = "Read me";
  const Graph framed = edited(graph, {SetFrame{frame}});
  EXPECT_EQ(compare_graphs(graph, framed).at("").differences,
            (std::vector<Difference>{{Change::added, Of::frame, "f"}}));
  const auto changed = compare_graphs(framed, edited(graph, {SetFrame{note}})).at("").differences;
  ASSERT_EQ(changed.size(), 1u);
  EXPECT_EQ(changed[0].fields, (std::vector<FieldChange>{{"text", "", "Read me"}}));
}

}  // namespace
}  // namespace hw
