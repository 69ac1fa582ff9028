// Curves of gradients and updates in the editor: a row a node, verdicts with titles, and the way to the node.
#include "app/models/instruments/gradient_flow_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "app/document/document_assets.h"
#include "app/models/instruments/heat_map_model.h"
#include "app/models/instruments/instruments_heat.h"
#include "app/models/views/plot_columns.h"
#include "tests/app/support.h"

namespace hw::app::testing::gradient_flow_model_test {
namespace {

/// p [8] → "First" (ReLU) → "Squeeze" (a factor) → MSE against 1.
void fill(Document& d, double factor) {
  const std::vector<double> shape{8};
  Node first = node("relu", "relu"), squeeze = node("by", "mul");
  first.label = "First";
  squeeze.label = "Squeeze";
  ASSERT_TRUE(d.push(
      "Fill", {AddNode{node("p", "parameter", {{"shape", shape}, {"init", std::string("constant")}, {"scale", 0.5}})},
               AddNode{first}, AddNode{squeeze}, AddNode{node("factor", "constant", {{"value", factor}})},
               AddNode{node("one", "constant", {{"shape", shape}, {"value", 1.0}})}, AddNode{node("mse", "mse")},
               AddNode{node("train", "train", {{"steps", int64_t{40}}, {"learning_rate", 1e-4}})},
               AddLink{{"p", "y", "relu", "x"}}, AddLink{{"relu", "y", "by", "a"}}, AddLink{{"factor", "y", "by", "b"}},
               AddLink{{"by", "y", "mse", "prediction"}}, AddLink{{"one", "y", "mse", "target"}},
               AddLink{{"mse", "loss", "train", "loss"}}}));
}

QStringList nodes_of(const GradientFlowModel& model) {
  QStringList list;
  for (int row = 0; row < model.rowCount(); ++row)
    list.append(model.data(model.index(row), GradientFlowModel::NodeRole).toString());
  return list;
}

TEST(GradientFlowModel, ARowForEveryNodeThatHasAGradient) {
  Document d;
  fill(d, 1.0);
  RunModel run(d, assets_of(d));
  GradientFlowModel model(d, run);
  int emitted = 0;
  QObject::connect(&model, &GradientFlowModel::curvesChanged, &model, [&] { ++emitted; });
  run.start();
  ASSERT_TRUE(wait_for([&] { return run.state() == "finished" && run.snapshot().instruments; }));
  EXPECT_TRUE(model.empty()) << "nobody watches";
  EXPECT_EQ(emitted, 0);
  model.setWatching(true);
  EXPECT_EQ(nodes_of(model), (QStringList{"p", "relu", "by"})) << "not the loss: its own is 1";
  ASSERT_EQ(model.curves().size(), 3u);
  const GradientHistory& history = *run.snapshot().instruments->gradients;
  ASSERT_EQ(model.points().steps.size(), history.looks.size());
  EXPECT_EQ(model.points().steps.front(), 1);
  for (const GradientCurve& curve : model.curves()) {
    ASSERT_EQ(curve.y.size(), model.points().steps.size());
    for (const double y : curve.y) EXPECT_GT(y, 0) << to_std(curve.node);
  }
  EXPECT_EQ(model.curves()[1].title, "First");
  EXPECT_TRUE(model.verdicts().isEmpty());
  model.setUpdates(true);
  EXPECT_EQ(nodes_of(model), QStringList{"p"});
  EXPECT_EQ(model.curves()[0].number, 0) << "weights take the first colours";
  EXPECT_NEAR(model.curves()[0].y.front(), 1e-4 / 0.5, 1e-6) << "Adam's first step is the rate";
}

TEST(GradientFlowModel, AGapIsDrawnAsAGapAndSaysWhy) {
  GradientHistory history;
  for (const uint64_t step : {0, 10, 20, 1000, 1010}) {
    GradientLook look;
    look.step = step;
    if (step == 1000) look.gap = "looking took 2 ms a step";
    history.looks.push_back(std::make_shared<const GradientLook>(look));
  }
  const GradientPoints points = points_of(history);
  EXPECT_THAT(points.steps, ::testing::ElementsAre(1, 11, 21, 511, 1001, 1011));
  for (const size_t at : {0u, 1u, 2u, 4u, 5u}) EXPECT_EQ(points.gaps[at], "");
  EXPECT_EQ(to_std(points.gaps[3]), "Not looked at between steps 21 and 1001: looking took 2 ms a step.");
  // No line leads over it, however wide the plot is.
  const std::vector<double> y{1, 1, 1, NAN, 1, 1};
  for (const int width : {4, 40, 400}) {
    const auto columns = columns_of(points.steps, y, 1, 1011, width);
    const auto middle = static_cast<size_t>(510.0 / 1010 * width);
    EXPECT_TRUE(columns[middle].broken) << width;
  }
}

TEST(GradientFlowModel, VerdictsCarryTitlesAndGoToTheNode) {
  Document d;
  fill(d, 1e-6);
  RunModel run(d, assets_of(d));
  GradientFlowModel model(d, run);
  run.start();
  ASSERT_TRUE(wait_for([&] { return run.state() == "finished" && !model.verdicts().isEmpty(); }));
  EXPECT_EQ(
      model.verdicts().front(),
      QString::fromUtf8("Gradient vanishes along Squeeze → First → Parameter: ×1e-6, most of it in Squeeze (×1e-6)."));
  EXPECT_EQ(model.verdictNodes().front(), "by");
  QString shown;
  QObject::connect(&d, &Document::revealRequested, &d, [&](const QString& id) { shown = id; });
  model.setWatching(true);
  int resets = 0;
  QObject::connect(&model, &QAbstractItemModel::modelReset, &model, [&] { ++resets; });
  model.reveal("by");
  EXPECT_EQ(shown, "by");
  EXPECT_EQ(d.activeNode(), "by");
  EXPECT_TRUE(model.curves()[2].active);
  EXPECT_FALSE(model.curves()[1].active);
  EXPECT_EQ(resets, 0) << "rows stay: making items is dear";
  run.restart();
  ASSERT_TRUE(wait_for([&] { return model.empty(); }));
  EXPECT_TRUE(model.verdicts().isEmpty());
}

TEST(GradientFlowModel, TheHeatMapHasBothQuantities) {
  Document d;
  fill(d, 1e-6);
  RunModel run(d, assets_of(d));
  InstrumentsModel instruments(run);
  InstrumentsHeat source(instruments);
  HeatMapModel map({&source});
  map.setOn(true);
  run.start();
  ASSERT_TRUE(wait_for([&] { return run.state() == "finished" && instruments.known(); }));
  ASSERT_TRUE(map.show("gradient_norm"));
  EXPECT_EQ(map.low(), "smallest");
  EXPECT_EQ(map.heatOf("by")->amount, 1);
  EXPECT_FALSE(map.heatOf("mse"));
  EXPECT_LT(map.heatOf("p")->amount, 0.01);
  EXPECT_GT(map.heatOf(Link{"by", "y", "mse", "prediction"})->amount, 0.99);
  EXPECT_FALSE(map.heatOf("train"));
  ASSERT_TRUE(map.show("update"));
  EXPECT_EQ(map.heatOf("p")->amount, 0) << "1e-4 over 0.5 is usual";
  EXPECT_FALSE(map.heatOf("relu"));
  EXPECT_NEAR(map.of("p")["text"].toString().toDouble(), 2e-4, 2e-5);
  ASSERT_TRUE(map.show("underflow"));
  EXPECT_EQ(map.low(), "harmless");
}

}  // namespace
}  // namespace hw::app::testing::gradient_flow_model_test
