// Finding nodes in a graph with groups.
#include "engine/graph/check/find.h"

#include "engine/core/codes.h"
#include "engine/graph/groups/flatten.h"
#include "tests/engine/group_graphs.h"

namespace hw {
namespace {

using test::link;
using test::node;

/// A stand-in for regular expressions: the text itself, anywhere; "(" alone is wrong.
Result<TextPattern> part_of_text(std::string_view part) {
  if (part == "(") return Error{codes::expression_syntax, {}, "It is not closed.", "Close it."};
  return TextPattern([part = std::string(part)](std::string_view text) { return text.find(part) != text.npos; });
}

std::vector<std::string> found(const Graph& document, const std::string& text) {
  Validator validator;
  validator.reset(flatten(document));
  const auto query = FindQuery::parse(text, part_of_text);
  EXPECT_TRUE(query) << query.error().text();
  return query ? find_nodes(document, validator, *query) : std::vector<std::string>();
}

using Paths = std::vector<std::string>;

Graph small() {
  Node labelled = node("mlp", "mlp", {{"width", int64_t{64}}});
  labelled.label = "Colour Net";
  labelled.x = 300;
  Node next = node("relu", "relu");
  next.x = 600;
  return test::built({AddNode{node("a", "constant", {{"shape", std::vector<double>{4, 8}}})}, AddNode{labelled},
                      AddNode{next}, AddLink{link("a.y", "mlp.x")}, AddLink{link("mlp.y", "relu.x")}});
}

TEST(Find, ByLabelIdAndTitle) {
  EXPECT_EQ(found(small(), "colour"), (Paths{"mlp"}));
  EXPECT_EQ(found(small(), "RELU"), (Paths{"relu"}));
  EXPECT_EQ(found(small(), "constant"), (Paths{"a"})) << "the title of its type";
  EXPECT_EQ(found(small(), "nothing_like_it"), Paths());
  EXPECT_EQ(found(small(), ""), Paths());
  EXPECT_EQ(found(small(), "  "), Paths());
}

TEST(Find, AllTermsCount) {
  EXPECT_EQ(found(small(), "colour type:mlp"), (Paths{"mlp"}));
  EXPECT_EQ(found(small(), "colour type:relu"), Paths());
}

TEST(Find, ByValue) {
  EXPECT_EQ(found(small(), "value:width=64"), (Paths{"mlp"}));
  EXPECT_EQ(found(small(), "value:width=65"), Paths());
  EXPECT_EQ(found(small(), "value:width"), (Paths{"mlp"}));
  EXPECT_EQ(found(small(), "value:64"), (Paths{"mlp"}));
  EXPECT_EQ(found(small(), "value:shape=[4,8]"), (Paths{"a"}));
  EXPECT_EQ(found(small(), "type:mlp value:"), (Paths{"mlp"})) << "still being typed";
}

TEST(Find, ByDtypeOfWiresAndParameters) {
  const Paths all = found(small(), "dtype:f32");
  EXPECT_EQ(all, (Paths{"a", "mlp", "relu"}));
  EXPECT_EQ(found(small(), "dtype:f16"), Paths());
  Graph graph = small();
  ASSERT_TRUE(apply_edits(
      graph, {AddNode{node("cast", "cast", {{"to", std::string("bf16")}})}, AddLink{link("relu.y", "cast.x")}}));
  EXPECT_EQ(found(graph, "dtype:bf16"), (Paths{"cast"}));
}

TEST(Find, ByProblem) {
  EXPECT_EQ(found(small(), "has:problem"), Paths());
  Graph graph = small();
  ASSERT_TRUE(apply_edits(graph, {RemoveLink{link("mlp.y", "relu.x")}}));
  EXPECT_EQ(found(graph, "has:problem"), (Paths{"relu"}));
}

TEST(Find, InsideGroupsAndOfInstances) {
  const Graph graph = test::grouped();
  const Paths linears = found(graph, "type:linear");
  EXPECT_EQ(linears.size(), 9u);  // two towers of two blocks of two units, and the head
  EXPECT_EQ(std::count(linears.begin(), linears.end(), "one/b/second/linear"), 1);
  const Paths units = found(graph, "type:group:unit");
  EXPECT_EQ(units.size(), 8u);
  EXPECT_EQ(found(graph, "type:tower"), (Paths{"one", "two"}));
  // The value that an instance gives is that of the node in it.
  EXPECT_EQ(found(graph, "type:linear value:out_features=5"), (Paths{"two/b/second/linear"}));
  EXPECT_EQ(found(graph, "type:tower value:width=5"), (Paths{"two"}));
}

TEST(Find, AProblemInsideIsOneOfTheInstances) {
  Graph graph = test::grouped();
  Group unit = *graph.find_group("unit");
  ASSERT_TRUE(apply_edits(unit.graph, {RemoveLink{link("linear.y", "relu.x")}}));
  ASSERT_TRUE(apply_edits(graph, {SetGroup{unit}}));
  const Paths wrong = found(graph, "has:problem");
  EXPECT_EQ(std::count(wrong.begin(), wrong.end(), "one"), 1);
  EXPECT_EQ(std::count(wrong.begin(), wrong.end(), "one/a/first/relu"), 1);
  EXPECT_EQ(std::count(wrong.begin(), wrong.end(), "sin"), 0);
}

TEST(Find, FromLeftToRightWithTheInsidesBehind) {
  Graph graph = test::grouped();
  ASSERT_TRUE(apply_edits(graph, {MoveNode{"head", -500, 0}, MoveNode{"one", 100, 0}, MoveNode{"two", 50, 0}}));
  const Paths linears = found(graph, "type:linear");
  ASSERT_EQ(linears.size(), 9u);
  EXPECT_EQ(linears.front(), "head");
  EXPECT_EQ(linears[1].substr(0, 4), "two/");
  EXPECT_EQ(linears.back().substr(0, 4), "one/");
}

TEST(Find, ByPattern) {
  EXPECT_EQ(found(small(), "/ml/"), (Paths{"mlp"}));
  EXPECT_EQ(found(small(), "/our Ne/"), (Paths{"mlp"})) << "a space does not end it";
  EXPECT_EQ(found(small(), "/ml/ type:relu"), Paths());
}

TEST(Find, SaysWhatIsWrong) {
  for (const char* text : {"/(/", "/a", "has:feet"}) {
    const auto query = FindQuery::parse(text, part_of_text);
    ASSERT_FALSE(query) << text;
    EXPECT_EQ(query.error().code, codes::expression_syntax) << text;
    EXPECT_FALSE(query.error().remedy.empty()) << text;
  }
}

}  // namespace
}  // namespace hw
