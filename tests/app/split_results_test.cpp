// The Evaluation tab before anything was measured: what is to be wired, or when it will be measured.
#include <gtest/gtest.h>

#include "app/document/document_assets.h"
#include "app/models/views/split_results_model.h"
#include "tests/app/support.h"

namespace hw::app::testing {
namespace {

TEST(SplitResults, SayWhenAWiredMatrixIsMeasured) {
  Document d;
  RunModel run(d, assets_of(d));
  SplitResultsModel results(d, run);
  EXPECT_EQ(results.due(), "");
  ASSERT_TRUE(d.push(
      "Fill",
      {AddNode{node("data", "dataset_source", {{"path", std::string("asset:mnist")}})}, AddNode{node("batch", "batch")},
       AddNode{node("flat", "reshape", {{"shape", std::vector<double>{-1, 784}}})},
       AddNode{node("scores", "linear", {{"out_features", int64_t{10}}})}, AddNode{node("loss", "cross_entropy")},
       AddNode{node("train", "train")}, AddLink{{"data", "data", "batch", "data"}},
       AddLink{{"batch", "x", "flat", "x"}}, AddLink{{"flat", "y", "scores", "x"}},
       AddLink{{"scores", "y", "loss", "logits"}}, AddLink{{"batch", "labels", "loss", "labels"}},
       AddLink{{"loss", "loss", "train", "loss"}}}));
  EXPECT_EQ(results.due(), "");
  int emitted = 0;
  QObject::connect(&results, &SplitResultsModel::changed, &results, [&] { ++emitted; });
  ASSERT_TRUE(d.push("Add", {AddNode{node("confusion", "confusion_matrix")}}));
  EXPECT_EQ(results.due(), "") << "it is not wired";
  ASSERT_TRUE(d.push(
      "Wire", {AddLink{{"scores", "y", "confusion", "logits"}}, AddLink{{"batch", "labels", "confusion", "labels"}}}));
  EXPECT_EQ(results.due(), "First measured at step 500.");
  EXPECT_EQ(emitted, 1);
  ASSERT_TRUE(d.push("At the end", {SetParam{"train", "evaluate_every", int64_t{0}}}));
  EXPECT_EQ(results.due(), "First measured when training ends.");
}

}  // namespace
}  // namespace hw::app::testing
