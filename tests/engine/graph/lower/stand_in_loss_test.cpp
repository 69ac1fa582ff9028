// What checks of training run: the graph itself, or with a loss that stands in.
#include "engine/graph/lower/stand_in_loss.h"

#include "engine/core/codes.h"
#include "tests/engine/graph_builder.h"

namespace hw::test {
namespace {

TEST(StandInLoss, IsAddedOnlyWhereNothingIsTrained) {
  const Graph inference =
      built({AddNode{node("x", "input")}, AddNode{node("layer", "linear")}, AddNode{node("y", "output")},
             AddLink{link("x.y", "layer.x")}, AddLink{link("layer.y", "y.x")}});
  const auto added = checkable(inference);
  ASSERT_TRUE(added) << added.error().text();
  EXPECT_TRUE(added->stands_in);
  EXPECT_TRUE(has_trainer(added->graph));
  EXPECT_FALSE(has_trainer(inference));
  const auto again = checkable(added->graph);
  ASSERT_TRUE(again);
  EXPECT_FALSE(again->stands_in);
  EXPECT_EQ(again->graph, added->graph);
}

TEST(StandInLoss, NeedsAFloat) {
  const auto made = checkable(built({AddNode{node("x", "input", {{"dtype", std::string("i64")}})}}));
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, codes::no_trainer);
}

}  // namespace
}  // namespace hw::test
