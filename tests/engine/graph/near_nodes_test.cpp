// A node that a graph does not have: the error names those that are near.
#include "engine/graph/near_nodes.h"

#include <gmock/gmock.h>

#include "engine/core/codes.h"
#include "engine/core/nearest_names.h"
#include "engine/graph/groups/flatten.h"
#include "tests/engine/group_graphs.h"

namespace hw {
namespace {

using test::built;
using test::grouped;
using test::node;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(NearNames, ListsSayHowManyMoreThereAre) {
  EXPECT_EQ(listed({"a", "b"}, 2), "a, b");
  EXPECT_EQ(listed({"a", "b", "c", "d"}, 2), "a, b and 2 more");
  EXPECT_EQ(listed({}, 2), "");
}

TEST(NearNodes, AreNamedInTheRemedy) {
  const Graph flat = flatten(grouped());
  const Error near = no_such_node(flat, "--node linaer", "linaer");
  EXPECT_EQ(near.code, codes::unknown_node);
  EXPECT_EQ(near.where, "--node linaer");
  EXPECT_THAT(near.remedy, HasSubstr("one/a/first/linear"));
  EXPECT_THAT(near.remedy, Not(HasSubstr("data")));
  const Error group = no_such_node(flat, "--node one", "one");
  EXPECT_THAT(group.reason, HasSubstr("this is a group"));
  EXPECT_THAT(group.remedy, HasSubstr("one/a/first/linear"));
  EXPECT_THAT(no_such_node(flat, "", "qqq").remedy, HasSubstr("Its nodes: data, head, mse, one/"));
  EXPECT_EQ(no_such_node(Graph(), "", "a").remedy, "It has no nodes.");
}

}  // namespace
}  // namespace hw
