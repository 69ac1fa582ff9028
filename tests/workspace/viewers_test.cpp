// What viewers show, without a window.
#include "app/workspace/viewers.h"

#include <gtest/gtest.h>

#include "app/workspace/open_graph.h"
#include "tests/workspace/quiet.h"

namespace hw::workspace {
namespace {

class WorkspaceViewers : public test::Quiet {};

TEST_F(WorkspaceViewers, InitialWeightsAreThoseOfTheTrainNodesSeed) {
  const auto open = open_graph({.graph = HALFWIRE_EXAMPLES "/sine.halfwire", .sets = {"train.seed=7"}}, notes_);
  ASSERT_TRUE(open) << open.error().text();
  EXPECT_EQ(weights_seed(open->graph), 7u);
  EXPECT_EQ(weights_seed(Graph()), 0u) << "there is no Train node";
}

}  // namespace
}  // namespace hw::workspace
