// FlatGraph: the flattened graph follows edits of the document; and the order that finds cycles.
#include "engine/graph/groups/flat_graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "engine/graph/groups/flatten.h"
#include "engine/graph/topological_order.h"
#include "engine/io/graph/graph_file.h"
#include "tests/engine/group_graphs.h"

namespace hw::flat_graph_test {
namespace {

using test::block;
using test::grouped;
using test::link;
using test::node;
using test::pair;
using test::unit;

Group changed_unit(std::mt19937& random) {
  Group group = unit();
  if (random() % 2) group.graph.node("linear").params["out_features"] = int64_t{6};
  if (random() % 3 == 0) group.graph.remove_node("y");
  return group;
}

/// Whether a node depends on itself.
bool has_cycle(const Graph& g) {
  std::map<std::string, int> state;  // 1: on the way, 2: done
  const auto visit = [&](const auto& self, const std::string& id) -> bool {
    if (state[id] == 1) return true;
    if (state[id] == 2) return false;
    state[id] = 1;
    for (const Link& link : g.links_into(id))
      if (self(self, link.from)) return true;
    state[id] = 2;
    return false;
  };
  return std::ranges::any_of(g.nodes(), [&](const auto& entry) { return visit(visit, entry.first); });
}

// Several wires at once, some against the order that the others have to make.
TEST(TopologicalOrder, FindsEveryCycle) {
  std::mt19937 random(11);
  const std::vector<std::string> ids{"a", "b", "c", "d", "e", "f", "g"};
  int cycles = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    Graph g;
    for (const std::string& id : ids) g.add_node(node(id, "add"));
    TopologicalOrder order;
    order.reset(g);
    for (int batch = 0; batch < 8; ++batch) {
      std::set<std::string> rewired;
      for (size_t k = 0; k < 1 + random() % 3; ++k) {
        const Link wire{ids[random() % ids.size()], "y", ids[random() % ids.size()], "a"};
        if (g.has_link(wire)) continue;
        g.add_link(wire);
        rewired.insert(wire.to);
      }
      const bool cyclic = !std::ranges::all_of(rewired, [&](const std::string& id) { return order.update(g, id); });
      ASSERT_EQ(cyclic, has_cycle(g)) << "trial " << trial << " batch " << batch;
      cycles += cyclic;
      if (cyclic) break;
    }
  }
  EXPECT_GT(cycles, 1000);
}

/// The flattened graph, and its validation, follow the edits as if they were made anew.
void expect_up_to_date(const Graph& g, const FlatGraph& flat, const Validator& v, const std::string& after) {
  const Graph fresh = flatten(g);
  ASSERT_TRUE(flat.graph() == fresh) << after << "\n" << write_graph(flat.graph()) << write_graph(fresh);
  Validator anew;
  anew.reset(fresh);
  const auto text = [](const Validator& of) {
    std::string all;
    for (const Diagnostic& d : of.all()) all += to_string(d) + "\n";
    return all;
  };
  ASSERT_EQ(text(v), text(anew)) << after;
  for (const auto& [id, n] : fresh.nodes()) ASSERT_EQ(v.output_type(id, "y"), anew.output_type(id, "y")) << after << id;
}

Group changed_block(std::mt19937& random) {
  Group group = block();
  if (random() % 2) group.graph.node("first").params["width"] = int64_t{4};
  if (random() % 2) group.graph.remove_link(link("second.y", "y.x"));
  if (random() % 2) group.params.push_back({"p", "", "first", "p"});
  if (random() % 3 == 0) group.graph.add_node(node("more", "group:unit"));
  if (random() % 3 == 0) group.graph.add_link(link("first.y", "second.nothing"));
  if (random() % 3 == 0) group.graph.add_link(link("nobody.y", "second.x"));
  if (random() % 3 == 0) group.graph.add_link(link("first.y", "nothing.x"));
  return group;
}

TEST(FlatGraph, AnInstanceGoesWithANodeThatWasWiredToASocketItDoesNotHave) {
  Graph g = grouped();
  ASSERT_TRUE(apply_edits(g, {AddNode{node("before", "group:unit")}, AddLink{link("before.y", "one.gone")}}));
  FlatGraph flat;
  Validator v;
  flat.reset(g);
  v.reset(flat.graph());
  const Edits edits{RemoveNode{"before"}, RemoveNode{"one"}};
  ASSERT_TRUE(apply_edits(g, edits));
  v.update(flat.graph(), flat.update(g, edits));
  expect_up_to_date(g, flat, v, "both removed");
}

TEST(FlatGraph, AParameterOfSeveralNodesIsThatOfAll) {
  Group group{"wide", "Wide", {}, {{"width", "", "one", "out_features"}, {"width", "", "two", "out_features"}}, ""};
  group.graph =
      test::built({AddNode{node("x", "input")}, AddNode{node("one", "linear")}, AddNode{node("two", "linear")},
                   AddNode{node("y", "output")}, AddLink{link("x.y", "one.x")}, AddLink{link("one.y", "two.x")},
                   AddLink{link("two.y", "y.x")}});
  Graph g = test::built({SetGroup{group}, AddNode{test::normal_numbers("data", {64, 3}, "N C")},
                         AddNode{node("a", "group:wide")}, AddLink{link("data.y", "a.x")}});
  FlatGraph flat;
  Validator v;
  flat.reset(g);
  v.reset(flat.graph());
  const Edits edits{SetParam{"a", "width", ParamValue(int64_t{5})}};
  ASSERT_TRUE(apply_edits(g, edits));
  v.update(flat.graph(), flat.update(g, edits));
  expect_up_to_date(g, flat, v, "width");
  EXPECT_EQ(v.output_type("a/two", "y")->shape.dims(), (Dims{64, 5}));
}

TEST(FlatGraph, FollowsAnyEdit) {
  std::mt19937 random(7);
  Graph g = grouped();
  EXPECT_TRUE(apply_edits(g, {SetGroup{pair()}}));
  FlatGraph flat;
  Validator v;
  flat.reset(g);
  v.reset(flat.graph());
  std::vector<Edits> undo;
  const std::vector<std::string> ids{"data", "sin", "one", "two", "three", "head", "mse", "train", "extra"};
  const std::vector<std::string> sockets{"x", "y", "loss", "prediction", "target", "p", "q"};
  const auto one_of = [&](const std::vector<std::string>& list) { return list[random() % list.size()]; };
  const std::vector<std::string> types{"group:pair", "group:pair", "group:tower", "group:block",
                                       "group:unit", "group:none", "relu",        "linear"};
  for (int i = 0; i < 3000; ++i) {
    Edits edits;
    for (size_t k = 0; k < 1 + random() % 3; ++k) {
      switch (random() % 14) {
        case 0:
          edits.push_back(AddNode{node(one_of(ids), one_of(types))});
          break;
        case 1:
          edits.push_back(RemoveNode{one_of(ids)});
          break;
        case 2:
          edits.push_back(SetParam{one_of({"one", "two", "three"}), "width", ParamValue(int64_t(1 + random() % 9))});
          break;
        case 3:
          edits.push_back(SetParam{"head", "out_features", ParamValue(int64_t(1 + random() % 4))});
          break;
        case 4:
          edits.push_back(SetFlags{one_of(ids), false, random() % 2 == 0});
          break;
        case 5:
          edits.push_back(SetFrozen{one_of(ids), random() % 2 == 0});
          break;
        case 6:
          edits.push_back(SetTie{one_of(ids), random() % 2 ? "" : one_of(ids)});
          break;
        case 7:
          edits.push_back(SetDevice{one_of(ids), random() % 2 ? "" : "ref"});
          break;
        case 8:
        case 9:
        case 10:
          edits.push_back(
              AddLink{{one_of(ids), one_of({"y", "y", "loss", "z", "second"}), one_of(ids), one_of(sockets)}});
          break;
        case 11: {
          const auto links = g.links();
          if (!links.empty()) edits.push_back(RemoveLink{links[random() % links.size()]});
          break;
        }
        case 12:
          edits.push_back(random() % 3 == 0   ? Edit(SetGroup{changed_unit(random)})
                          : random() % 6 == 0 ? Edit(RemoveGroup{"block"})
                                              : Edit(SetGroup{changed_block(random)}));
          break;
        default:
          edits.push_back(SetLabel{one_of(ids), "L" + std::to_string(i)});
      }
    }
    if (!undo.empty() && random() % 4 == 0) {
      undo_edits(g, undo.back());
      edits = undo.back();
      undo.pop_back();
    } else {
      auto applied = apply_edits(g, edits);
      if (!applied) continue;
      undo.push_back(*applied);
    }
    v.update(flat.graph(), flat.update(g, edits));
    expect_up_to_date(g, flat, v, "edit " + std::to_string(i));
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace hw::flat_graph_test
