// A node type that does not exist: the nearest names are offered, and put in its place with its wires.
#include "engine/node/nearest_types.h"

#include <gtest/gtest.h>

#include "engine/graph/document_edits.h"
#include "engine/graph/flatten.h"
#include "engine/graph/remedy.h"
#include "engine/graph/validate.h"
#include "tests/engine/group_graphs.h"

namespace hw::test {
namespace {

std::vector<std::string> near(std::string_view name) {
  std::vector<std::string> ids;
  for (const NodeType* type : nearest_types(name, 3)) ids.push_back(type->id);
  return ids;
}

TEST(NearestTypes, ShareTheLongestRun) {
  EXPECT_EQ(near("Conv2D"), (std::vector<std::string>{"conv2d"}));
  EXPECT_EQ(near("selfconv3").front(), "conv3d");
  EXPECT_EQ(near("batchnorm").front().substr(0, 5), "batch");
  EXPECT_TRUE(near("zzzz").empty());
  EXPECT_TRUE(near("").empty());
  EXPECT_LE(near(std::string(1 << 20, 'c')).size(), 3u);
}

TEST(NearestTypes, TakeThePlaceInAGroupToo) {
  Group group{"g", "G", {}, {}, ""};
  group.graph = built({AddNode{node("x", "input")}, AddNode{node("c", "relux")}, AddNode{node("y", "output")},
                       AddLink{link("x.y", "c.x")}, AddLink{link("c.y", "y.x")}});
  const Graph document = built({SetGroup{group}, AddNode{normal_numbers("data", {4, 3}, "N C")},
                                AddNode{node("g", "group:g")}, AddLink{link("data.y", "g.x")}});
  const Graph flat = flatten(document);
  Validator validator;
  validator.reset(flat);
  const auto& said = validator.of("g/c");
  ASSERT_EQ(said.size(), 1u);
  ASSERT_EQ(said[0].remedies.front().label, "Replace it with ReLU");
  Graph mended = document;
  ASSERT_TRUE(apply_flat_edits(mended, remedy_edits(flat, said[0].remedies.front())));
  const Graph after = flatten(mended);
  validator.reset(after);
  EXPECT_TRUE(validator.all().empty());
  EXPECT_TRUE(after.has_link(link("g/x.y", "g/c.x")));
}

}  // namespace
}  // namespace hw::test
