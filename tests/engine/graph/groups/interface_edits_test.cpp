// What a group's instances have: sockets and parameters added, reordered, renamed, with defaults; one parameter of the
// group for several nodes.
#include "engine/graph/groups/interface_edits.h"

#include <gmock/gmock.h>

#include "engine/graph/check/candidate.h"
#include "engine/graph/check/check_instances.h"
#include "engine/graph/groups/flatten.h"
#include "engine/graph/groups/group_edits.h"
#include "engine/graph/groups/group_interface.h"
#include "engine/io/graph/graph_file.h"
#include "tests/engine/group_graphs.h"

namespace hw::interface_edits_test {
namespace {

using test::grouped;
using test::node;
using ::testing::ElementsAre;

std::vector<std::string> ids(const auto& declared) {
  std::vector<std::string> all;
  for (const auto& one : declared) all.push_back(one.id);
  return all;
}

void apply_at(Graph& graph, const Scope& scope, const Edits& edits) {
  const auto own = document_edits_at(scope, edits);
  ASSERT_TRUE(own) << own.error().text();
  const auto done = apply_edits(graph, *own);
  ASSERT_TRUE(done) << done.error().text();
}

TEST(InterfaceEdits, AWireToTheBorderIsASocket) {
  Graph graph = grouped();
  const NodePlace place(graph, "one/a/first/");
  const auto out = add_group_socket(place.scope(), "relu", "y", true);
  ASSERT_TRUE(out) << out.error().text();
  apply_at(graph, place.scope(), out->edits);
  const NodeDecl after = interface_of(graph, *graph.find_group("unit"));
  EXPECT_THAT(ids(after.outputs()), ElementsAre("y", out->id));
  EXPECT_EQ(test::problems(flatten(graph)), "");
  const NodePlace now(graph, "one/a/first/");
  const auto in = add_group_socket(now.scope(), "linear", "x", false);  // takes the wire that is there
  ASSERT_TRUE(in);
  apply_at(graph, now.scope(), in->edits);
  EXPECT_EQ(graph.find_group("unit")->graph.links_into("linear").front().from, in->id);
  EXPECT_FALSE(add_group_socket(now.scope(), "linear", "nothing", false));
}

TEST(InterfaceEdits, SocketsChangePlacesWithTheirNodes) {
  Group group = test::pair();
  group.graph.node("q").y = 160;
  const auto edits = move_group_socket(group, "q", 0);
  EXPECT_EQ(edits.size(), 2u);
  ASSERT_TRUE(apply_edits(group.graph, edits));
  EXPECT_THAT(ids(interface_of(grouped(), group).inputs()), ElementsAre("q", "p"));
  EXPECT_TRUE(move_group_socket(group, "q", 0).empty());
}

TEST(InterfaceEdits, ParametersAreMovedNamedAndGivenDefaults) {
  const Graph graph = grouped();
  const Group unit = *graph.find_group("unit");
  Group changed = with_param_named(with_param_moved(unit, "p", 0), "p", "Drop");
  const auto with_default = with_param_default(changed, "width", ParamValue(int64_t{12}));
  ASSERT_TRUE(with_default);
  const NodeDecl decl = interface_of(graph, *with_default);
  EXPECT_THAT(ids(decl.params()), ElementsAre("p", "width"));
  EXPECT_EQ(decl.params()[0].label, "Drop");
  EXPECT_EQ(std::get<int64_t>(decl.params()[1].value), 12);
  EXPECT_FALSE(with_param_default(unit, "width", ParamValue(int64_t{-1})));
}

/// A unit whose second Linear has the width of the first.
Graph joined() {
  Graph graph = grouped();
  Group unit = *graph.find_group("unit");
  unit.graph.add_node(node("wide", "linear", {{"out_features", int64_t{3}}}));
  unit.graph.add_link({"linear", "y", "wide", "x"});
  unit.graph.remove_link({"linear", "y", "relu", "x"});
  unit.graph.add_link({"wide", "y", "relu", "x"});
  graph.set_group(unit);
  const NodePlace place(graph, "one/a/first/");
  const auto edits = promote_param(place.scope(), "wide", "out_features", "width");
  EXPECT_TRUE(edits) << edits.error().text();
  EXPECT_TRUE(apply_edits(graph, *edits));
  return graph;
}

int64_t width(const Graph& flat, const char* path) {
  return std::get<int64_t>(param_value(*flat.find(path), "out_features"));
}

TEST(JoinedParameters, OneValueForSeveralNodes) {
  Graph graph = joined();
  EXPECT_THAT(ids(interface_of(graph, *graph.find_group("unit")).params()), ElementsAre("width", "p"));
  EXPECT_TRUE(check_instances(graph).empty());
  EXPECT_EQ(width(flatten(graph), "one/a/first/wide"), 8) << "the value of the one that was there";
  EXPECT_EQ(width(flatten(graph), "two/b/second/wide"), 5);
  EXPECT_EQ(width(flatten(graph), "two/b/second/linear"), 5);
  const auto read = parse_graph(write_graph(graph), "file");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(*read, graph);
}

TEST(JoinedParameters, AValueInTheDefinitionIsThatOfAll) {
  Graph graph = joined();
  const NodePlace place(graph, "one/a/first/");
  apply_at(graph, place.scope(), {SetParam{"wide", "out_features", ParamValue(int64_t{6})}});
  EXPECT_EQ(width(flatten(graph), "one/a/first/linear"), 6);
  EXPECT_EQ(width(flatten(graph), "one/a/first/wide"), 6);
}

TEST(JoinedParameters, OneOfThemTakenOffLeavesTheOthers) {
  Graph graph = joined();
  const NodePlace place(graph, "two/b/second/");
  const auto edits = demote_param(place.scope(), "linear", "out_features");
  ASSERT_TRUE(edits);
  ASSERT_TRUE(apply_edits(graph, *edits));
  EXPECT_EQ(width(flatten(graph), "two/b/second/wide"), 5);
  EXPECT_EQ(width(flatten(graph), "two/b/second/linear"), 8);
  const NodePlace now(graph, "one/a/first/");
  EXPECT_FALSE(promote_param(now.scope(), "relu", "nothing", "width"));
  EXPECT_FALSE(promote_param(now.scope(), "linear", "bias", "width")) << "another kind";
}

TEST(Candidates, AGroupTakesWhatItsNodesTake) {
  const Graph graph = grouped();
  Validator validator;
  const Graph flat = flatten(graph);
  validator.reset(flat);
  const Candidate tower(graph, *graph.find_group("tower"));
  EXPECT_EQ(fitting_socket(flat, validator, "data", "y", true, tower), "x");
  EXPECT_EQ(fitting_socket(flat, validator, "mse", "prediction", false, tower), "y");
  Graph half = graph;
  half.node("data").params["dtype"] = std::string("f16");
  const Graph narrow = flatten(half);
  validator.reset(narrow);
  EXPECT_FALSE(fitting_socket(narrow, validator, "data", "y", true, tower)) << "its Linear is f32";
  EXPECT_EQ(fitting_by_cast(narrow, validator, "data", "y", true, tower), (FitByCast{"x", DType::f32}));
}

}  // namespace
}  // namespace hw::interface_edits_test
