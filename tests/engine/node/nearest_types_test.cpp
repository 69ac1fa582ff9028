// A node type that does not exist: the nearest names are offered, and put in its place with its wires.
#include "engine/node/nearest_types.h"

#include <gtest/gtest.h>

#include "engine/graph/check/validate.h"
#include "engine/graph/groups/document_edits.h"
#include "engine/graph/groups/flatten.h"
#include "engine/graph/precision/remedy.h"
#include "tests/engine/group_graphs.h"

namespace hw::test {
namespace {

std::vector<std::string> near(std::string_view name) {
  std::vector<std::string> ids;
  for (const NodeType* type : nearest_types(name, 3)) ids.push_back(type->id);
  return ids;
}

TEST(NearestTypes, ShareTheLongestRun) {
  EXPECT_EQ(near("Conv2D").front(), "conv2d");
  EXPECT_EQ(near("selfconv3").front(), "conv3d");
  EXPECT_EQ(near("batchnorm").front().substr(0, 5), "batch");
  EXPECT_TRUE(near("zzzz").empty());
  EXPECT_TRUE(near("").empty());
  EXPECT_LE(near(std::string(1 << 20, 'c')).size(), 3u);
}

TEST(NearestTypes, TakeThePlace) {
  const Graph graph =
      built({AddNode{normal_numbers("data", {4, 3}, "N C")}, AddNode{node("c", "relux")}, AddNode{node("y", "output")},
             AddLink{link("data.y", "c.x")}, AddLink{link("c.y", "y.x")}});
  Validator validator;
  validator.reset(graph);
  const auto& said = validator.of("c");
  ASSERT_EQ(said.size(), 1u);
  ASSERT_EQ(said[0].remedies.front().label, "Replace it with ReLU");
  Graph mended = graph;
  ASSERT_TRUE(apply_edits(mended, remedy_edits(graph, said[0].remedies.front())));
  validator.reset(mended);
  EXPECT_TRUE(validator.all().empty());
  EXPECT_TRUE(mended.has_link(link("data.y", "c.x")));
  EXPECT_EQ(mended.find("c")->type, "relu");
}

TEST(NearestTypes, AreNamedInAGroup) {
  Group group{"g", "G", {}, {}, ""};
  group.graph = built({AddNode{node("x", "input")}, AddNode{node("c", "relux")}, AddNode{node("y", "output")},
                       AddLink{link("x.y", "c.x")}, AddLink{link("c.y", "y.x")}});
  const Graph flat = flatten(built({SetGroup{group}, AddNode{normal_numbers("data", {4, 3}, "N C")},
                                    AddNode{node("g", "group:g")}, AddLink{link("data.y", "g.x")}}));
  Validator validator;
  validator.reset(flat);
  ASSERT_EQ(validator.of("g/c").size(), 1u);
  EXPECT_NE(validator.of("g/c")[0].reason.find("Nearest: ReLU"), std::string::npos);
  EXPECT_EQ(validator.of("g/c")[0].remedies.size(), 1u);
}

}  // namespace
}  // namespace hw::test
