// What passes make of nodes, on the cards that stand for them.
#include "app/models/graph/pass_marks.h"

#include <gtest/gtest.h>

#include "app/document/document_assets.h"
#include "app/models/graph/graph_model.h"
#include "tests/app/support.h"

namespace hw::app::testing {
namespace {

/// Pictures → conv → norm → view.
void fill(Document& d) {
  ASSERT_TRUE(d.push(
      "Fill",
      {AddNode{node("x", "random", {{"shape", std::vector<double>{4, 2, 9, 8}}, {"axes", std::string("N C H W")}})},
       AddNode{node("conv", "conv2d", {{"out_channels", int64_t{3}}})}, AddNode{node("norm", "batch_norm")},
       AddNode{node("view", "tensor_view")}, AddLink{{"x", "y", "conv", "x"}}, AddLink{{"conv", "y", "norm", "x"}},
       AddLink{{"norm", "y", "view", "x"}}}));
}

TEST(PassMarks, FollowTheGraphAndTheDevice) {
  Document d;
  GraphModel graph(d);
  PassMarks marks(d, assets_of(d), QStringLiteral("cpu"));
  QObject::connect(&marks, &PassMarks::changed, &graph, [&] { graph.setPasses(marks.texts()); });
  const auto text = [&](const char* id) {
    return graph.data(graph.index(graph.rowOf(QLatin1String(id))), GraphModel::PassesRole).toString();
  };
  fill(d);
  ASSERT_TRUE(wait_for([&] { return !text("norm").isEmpty(); }));
  EXPECT_TRUE(text("norm").endsWith("norm is computed in conv (pass fold_batch_norm).")) << text("norm").toStdString();
  EXPECT_EQ(text("conv"), "");
  marks.setDevice(QStringLiteral("ref"));
  EXPECT_TRUE(wait_for([&] { return text("norm").isEmpty(); })) << "the reference computes what is declared";
  marks.setDevice(QStringLiteral("cpu"));
  EXPECT_TRUE(wait_for([&] { return !text("norm").isEmpty(); }));
  ASSERT_TRUE(d.push("See", {AddNode{node("see", "tensor_view")}, AddLink{{"conv", "y", "see", "x"}}}));
  EXPECT_TRUE(wait_for([&] { return text("norm").isEmpty(); })) << "what a viewer shows is computed";
  d.undo();
  EXPECT_TRUE(wait_for([&] { return !text("norm").isEmpty(); }));
  ASSERT_TRUE(d.push("Break", {RemoveLink{{"x", "y", "conv", "x"}}}));
  EXPECT_TRUE(wait_for([&] { return text("norm").isEmpty(); })) << "nothing runs while the graph has errors";
}

}  // namespace
}  // namespace hw::app::testing
