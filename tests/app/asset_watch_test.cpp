// What is wrong with a data set stands among the problems of a document before anything runs.
#include "app/models/problems/asset_watch.h"

#include <gmock/gmock.h>

#include "engine/graph/edit.h"
#include "engine/io/graph/graph_file.h"
#include "engine/io/tensor/npy.h"
#include "support.h"
#include "tests/engine/io_temp.h"

namespace hw::app::asset_watch_test {
namespace {

using hw::test::TempFolder;
using ::testing::Contains;
using ::testing::HasSubstr;
using testing::wait_for;

TEST(AssetWatchTest, ADataSetOnTwoScalesIsAProblemBeforeItRuns) {
  const TempFolder folder;
  ASSERT_TRUE(
      save_npy(Tensor::from_f64(DType::f32, {2, 2}, std::vector<double>{0, 1, 0.5, 1}), folder / "x_train.npy"));
  ASSERT_TRUE(
      save_npy(Tensor::from_f64(DType::f32, {2, 2}, std::vector<double>{0, 255, 99, 1}), folder / "x_test.npy"));
  for (const char* labels : {"y_train.npy", "y_test.npy"})
    ASSERT_TRUE(save_npy(Tensor::zeros(DType::i64, {2}), folder / labels));
  Graph graph;
  ASSERT_TRUE(apply_edits(
      graph, {AddNode{testing::node(
                 "data", "dataset_source",
                 {{"path", std::string(".")}, {"sample", std::vector<double>{2}}, {"classes", int64_t{2}}})}}));
  const std::filesystem::path file = folder / "g.halfwire";
  ASSERT_TRUE(save_graph(graph, file));
  Document document;
  AssetWatch watch(document, assets_of(document));
  ASSERT_TRUE(document.load(QUrl::fromLocalFile(QString::fromStdString(file.string()))));
  const auto reasons = [&] {
    std::vector<std::string> all;
    for (const Diagnostic& d : watch.problems())
      if (d.severity == Severity::warning && d.node == "data") all.push_back(d.reason);
    return all;
  };
  EXPECT_TRUE(wait_for([&] { return !reasons().empty(); }));
  EXPECT_THAT(reasons(), Contains(HasSubstr("different scales")));
}

}  // namespace
}  // namespace hw::app::asset_watch_test
