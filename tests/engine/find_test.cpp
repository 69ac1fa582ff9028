// Finding nodes in a graph with groups, and regular expressions that cannot take long.
#include "engine/graph/find.h"

#include "engine/core/codes.h"
#include "engine/graph/flatten.h"
#include "tests/engine/group_graphs.h"

namespace hw {
namespace {

using test::link;
using test::node;

std::vector<std::string> found(const Graph& document, const std::string& text) {
  Validator validator;
  validator.reset(flatten(document));
  const auto query = FindQuery::parse(text);
  EXPECT_TRUE(query) << query.error().text();
  const auto paths = query ? find_nodes(document, validator, *query) : query.error();
  EXPECT_TRUE(paths) << paths.error().text();
  return paths ? *paths : std::vector<std::string>();
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

TEST(Find, ByRegularExpression) {
  EXPECT_EQ(found(small(), "/^(ml|re)/"), (Paths{"mlp", "relu"}));
  EXPECT_EQ(found(small(), "/colour net/"), (Paths{"mlp"}));
}

TEST(Find, SaysWhatIsWrong) {
  for (const char* text : {"/(/", "/a", "/[/", "/*/", "/a{3,1}/", "has:feet"}) {
    const auto query = FindQuery::parse(text);
    ASSERT_FALSE(query) << text;
    EXPECT_EQ(query.error().code, codes::expression_syntax) << text;
    EXPECT_FALSE(query.error().remedy.empty()) << text;
  }
  const auto large = FindQuery::parse("/((a{999}){999}){999}/");
  ASSERT_FALSE(large);
  EXPECT_EQ(large.error().code, codes::expression_size);
  EXPECT_FALSE(Pattern::compile(std::string(100'000, '(')));
}

TEST(Find, GivesUpWhereAnExpressionWouldTakeLong) {
  Graph graph = small();
  ASSERT_TRUE(apply_edits(graph, {SetLabel{"mlp", std::string(1'000'000, 'a')}}));
  Validator validator;
  validator.reset(graph);
  const auto query = FindQuery::parse("/(a?){200}a{200}b/");
  ASSERT_TRUE(query);
  const auto paths = find_nodes(graph, validator, *query);
  ASSERT_FALSE(paths);
  EXPECT_EQ(paths.error().code, codes::expression_size);
}

struct PatternCase {
  const char *expression, *text;
  bool found;
};

TEST(Pattern, Matches) {
  const PatternCase cases[] = {{"a+b", "xxAAb", true},
                               {"^conv_[0-9]{2,3}$", "conv_123", true},
                               {"^conv_[0-9]{2,3}$", "conv_1", false},
                               {"\\D", "12", false},
                               {"\\D", "1a", true},
                               {"(a|b)*c", "ababc", true},
                               {"\\bfoo\\b", "a foo", true},
                               {"\\bfoo\\b", "afoo", false},
                               {"x{", "x{", true},
                               {"", "abc", true},
                               {"^$", "", true},
                               {"[^a]", "aaa", false},
                               {"[A-Z]+\\.w", "abc.W", true},
                               {"é.", "née", true},
                               {"[]x]", "]", true},
                               {"a{2,}", "ba", false},
                               {"a{2,}", "baa", true},
                               {"(?:ab){2}", "abab", true},
                               {"[a-c-]+$", "a-c", true},
                               {"colou?r", "color", true}};
  for (const PatternCase& c : cases) {
    const auto pattern = Pattern::compile(c.expression);
    ASSERT_TRUE(pattern) << c.expression;
    EXPECT_EQ(pattern->found_in(c.text), c.found) << c.expression << " in " << c.text;
  }
}

TEST(Pattern, WhatBacktracksElsewhereIsReadOnce) {
  // Where an expression is tried again for each way to divide the text, this takes longer than the universe has.
  const std::string text(5'000, 'a');
  for (const char* expression : {"(a+)+b", "(a|aa)*b", "(a*)*b", "(a?){50}a{50}b"}) {
    const auto pattern = Pattern::compile(expression);
    ASSERT_TRUE(pattern) << expression;
    EXPECT_FALSE(pattern->found_in(text)) << expression;
    EXPECT_TRUE(pattern->found_in(text + "b")) << expression;
  }
}

}  // namespace
}  // namespace hw
