// Nodes that stand for operators of another tool: each operator is said once, and once what only waits for them.
#include "engine/graph/check/missing_operators.h"

#include <gmock/gmock.h>

#include "engine/core/codes.h"
#include "engine/graph/check/check_type.h"
#include "tests/engine/graph_builder.h"

namespace hw::missing_operators_test {
namespace {

using test::built;
using test::node;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string kLater = "its sizes are not known before it runs.";
const std::string kWaitsForIt = std::string(kWaits) + " what NonZero a makes.";

std::vector<Diagnostic> said(const Edits& edits) {
  const Graph graph = built(edits);
  Validator validator;
  validator.reset(graph);
  return merge_missing_operators(graph, validator.all());
}

AddNode stands(const std::string& id, const std::string& op, const std::string& why) {
  return AddNode{node(id, "onnx:" + op, {{kForeignReason, why}})};
}

std::vector<std::string> places(const std::vector<Diagnostic>& all) {
  std::vector<std::string> nodes;
  for (const Diagnostic& d : all) nodes.push_back(d.node);
  return nodes;
}

TEST(MissingOperators, AreSaidOnceEach) {
  const auto all = said({stands("a", "NonZero", kLater), stands("b", "NonZero", kLater), stands("c", "NonZero", kLater),
                         stands("d", "TopK", "its K is 1000, at most 256."), stands("e", "Gather", kWaitsForIt),
                         stands("aa", "Reshape", kWaitsForIt), AddNode{node("ghost", "no_such_type")}});
  ASSERT_THAT(places(all), ElementsAre("a", "d", "aa", "ghost"));
  for (const Diagnostic& d : all) EXPECT_EQ(d.code, codes::unknown_node);
  EXPECT_THAT(all[0].reason, HasSubstr("It and 2 more nodes stand for the ONNX operator NonZero, which is not read: "));
  EXPECT_THAT(all[1].reason, HasSubstr("It stands for the ONNX operator TopK"));
  EXPECT_THAT(all[2].reason, HasSubstr("It and 1 more node stand for operators that wait for what the missing ones"));
}

TEST(MissingOperators, OfOneTypeWithTwoReasonsAreTwo) {
  const auto all = said({stands("a", "Resize", "its mode is cubic."), stands("b", "Resize", kLater)});
  EXPECT_THAT(places(all), ElementsAre("a", "b"));
}

TEST(MissingOperators, ThatWaitAloneKeepTheirReason) {
  const auto all = said({stands("e", "Gather", kWaitsForIt)});
  ASSERT_THAT(places(all), ElementsAre("e"));
  EXPECT_THAT(all[0].reason, HasSubstr(kWaitsForIt));
  EXPECT_THAT(merge_missing_operators(Graph(), {}), IsEmpty());
}

}  // namespace
}  // namespace hw::missing_operators_test
