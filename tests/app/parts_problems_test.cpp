// What micro-batches make of samples that is not that of one batch is among the problems, with a remedy.
#include <gmock/gmock.h>

#include "app/document/document_assets.h"
#include "app/models/problems/problems_model.h"
#include "app/models/problems/structure_watch.h"
#include "support.h"

namespace hw::app::parts_problems_test {
namespace {

using testing::node;
using testing::wait_for;

TEST(PartsProblems, AreShownAndMended) {
  Document d;
  StructureWatch watch(d, assets_of(d));
  ProblemsModel problems(d);
  QObject::connect(&watch, &StructureWatch::hintsChanged, &problems, [&] { problems.setFindings(watch.hints()); });
  const ParamMap numbers{{"shape", std::vector<double>{4, 8}}, {"axes", std::string("N C")}};
  ASSERT_TRUE(d.push("Fill", {AddNode{node("x", "random", numbers)}, AddNode{node("scores", "linear")},
                              AddNode{node("shares", "softmax", {{"axis", int64_t{0}}})}, AddNode{node("end", "mean")},
                              AddNode{node("train", "train")}, AddLink{{"x", "y", "scores", "x"}},
                              AddLink{{"scores", "y", "shares", "x"}}, AddLink{{"shares", "y", "end", "x"}},
                              AddLink{{"end", "y", "train", "loss"}}}));
  ASSERT_TRUE(wait_for([&] { return !watch.busy(); }));
  EXPECT_EQ(problems.warnings(), 0);
  ASSERT_TRUE(d.push("Set", {SetParam{"train", "accumulate", int64_t{2}}}));
  ASSERT_TRUE(wait_for([&] { return problems.warnings() == 1; }));
  int row = 0;
  const auto said = [&](int role) { return problems.data(problems.index(row, 0), role).toString().toStdString(); };
  while (row < problems.count() && said(ProblemsModel::SeverityRole) != "warning") ++row;
  EXPECT_EQ(said(ProblemsModel::NodeRole), "train");
  EXPECT_THAT(said(ProblemsModel::ReasonRole),
              ::testing::HasSubstr("(shares) is over the samples of each of the 2 micro-batches alone (op softmax)"));
  problems.apply(row, 0);
  EXPECT_TRUE(wait_for([&] { return problems.warnings() == 0; }));
  EXPECT_EQ(param_value(*d.graph().find("train"), "accumulate"), ParamValue(int64_t{1}));
}

}  // namespace
}  // namespace hw::app::parts_problems_test
