// Instruments in the editor: gauges by socket, marks, and the heat map, from a run's own readings.
#include "app/models/instruments/instruments_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/document/document_assets.h"
#include "app/models/cards/gauge.h"
#include "app/models/graph/graph_model.h"
#include "app/models/instruments/heat_map_model.h"
#include "app/models/instruments/instruments_heat.h"
#include "engine/instrument/instrument_report.h"
#include "tests/app/support.h"

namespace hw::app::testing::instruments_model_test {
namespace {

/// A mean of squares of 65,536 f16 numbers; of the default ones the gradients are too small for f16.
void fill(Document& d, double scale = 2e-4) {
  const std::vector<double> shape{256, 256};
  const std::string f16 = "f16";
  ASSERT_TRUE(d.push(
      "Fill",
      {AddNode{node("p", "parameter",
                    {{"shape", shape}, {"dtype", f16}, {"init", std::string("constant")}, {"scale", scale}})},
       AddNode{node("relu", "relu")},
       AddNode{node("target", "constant", {{"shape", shape}, {"dtype", f16}, {"value", 0.0}})},
       AddNode{node("mse", "mse")}, AddNode{node("train", "train", {{"steps", int64_t{3}}, {"learning_rate", 1e-6}})},
       AddLink{{"p", "y", "relu", "x"}}, AddLink{{"relu", "y", "mse", "prediction"}},
       AddLink{{"target", "y", "mse", "target"}}, AddLink{{"mse", "loss", "train", "loss"}}}));
}

TEST(InstrumentsModel, ShowsWhatTheRunSees) {
  Document d;
  fill(d);
  RunModel run(d, assets_of(d));
  InstrumentsModel instruments(run);
  GraphModel graph(d);
  graph.setInstruments(&instruments);
  const auto of = [&](const char* id) {
    return graph.data(graph.index(graph.rowOf(id)), GraphModel::InstrumentsRole).toMap();
  };
  EXPECT_FALSE(instruments.known());
  EXPECT_TRUE(of("relu")["gauges"].toMap().isEmpty());
  int notified = 0;
  QObject::connect(&graph, &QAbstractItemModel::dataChanged, &graph,
                   [&](const QModelIndex&, const QModelIndex&, const QVector<int>& roles) {
                     notified += roles.contains(GraphModel::InstrumentsRole);
                   });
  run.start();
  ASSERT_TRUE(wait_for([&] { return run.state() == "finished" && instruments.known() && notified >= graph.count(); }))
      << "every card is notified of, a few in each frame";
  EXPECT_TRUE(instruments.cost().contains("steps looked at"));
  const QVariantMap gauges = of("relu")["gauges"].toMap();
  ASSERT_TRUE(gauges.contains("y"));
  const auto gauge = [](const QVariant& both, const char* direction) { return both.toMap()[direction].value<Gauge>(); };
  const Gauge forward = gauge(gauges["y"], "forward"), backward = gauge(gauges["y"], "backward");
  ASSERT_TRUE(forward.reading());
  EXPECT_EQ(forward.reading()->dtype, DType::f16);
  EXPECT_FALSE(forward.reading()->sample.bins.empty());
  EXPECT_TRUE(forward.text().startsWith("relu.y, f16"));
  EXPECT_TRUE(backward.text().contains("grad(relu.y)"));
  EXPECT_TRUE(backward.text().contains("100 % zeros"));
  const QVariantList parameters = of("p")["parameters"].toList();
  ASSERT_EQ(parameters.size(), 1);
  EXPECT_EQ(parameters[0].toMap()["name"], "value");
  EXPECT_TRUE(gauge(parameters[0], "forward").text().startsWith("p.value, f16"));
  EXPECT_TRUE(gauge(parameters[0], "backward").text().contains("grad(p.value), f32"));
  EXPECT_TRUE(of("mse")["trouble"].toString().contains("100 % underflows f16"));
  EXPECT_EQ(of("relu")["trouble"], "") << "what was lost elsewhere is not this node's";
}

TEST(InstrumentsModel, HeatMapColoursNodesAndWires) {
  Document d;
  fill(d);
  RunModel run(d, assets_of(d));
  InstrumentsModel instruments(run);
  InstrumentsHeat source(instruments);
  HeatMapModel map({&source});
  GraphModel graph(d);
  graph.setInstruments(&instruments);
  graph.setHeatMap(&map);
  EXPECT_TRUE(map.note().startsWith("Run the graph"));
  run.start();
  ASSERT_TRUE(wait_for([&] { return run.state() == "finished" && instruments.known(); }));
  const auto heat = [&](const char* id) {
    return graph.data(graph.index(graph.rowOf(id)), GraphModel::HeatRole).toMap().value("amount", -2).toDouble();
  };
  const Link wire{"relu", "y", "mse", "prediction"};
  EXPECT_EQ(graph.heatMap(), nullptr);
  EXPECT_EQ(heat("mse"), -2) << "off";
  int looks = 0;
  QObject::connect(&graph, &GraphModel::wireLooksChanged, &graph, [&] { ++looks; });
  map.setOn(true);
  EXPECT_EQ(looks, 1);
  ASSERT_EQ(graph.heatMap(), &map);
  EXPECT_EQ(heat("mse"), 1);
  EXPECT_EQ(heat("relu"), 0);
  EXPECT_EQ(heat("train"), -1) << "it makes nothing";
  EXPECT_EQ(map.heatOf(wire)->amount, 0);
  EXPECT_EQ(map.wordsOf("mse").toStdString(), "Underflow\nmse: mul (backward), f16: 100 %");
  EXPECT_TRUE(map.note().contains("steps looked at"));
  const int zeros = static_cast<int>(map.quantities().indexOf("Zeros"));
  ASSERT_GE(zeros, 0);
  map.setQuantity(zeros);
  EXPECT_EQ(looks, 2);
  EXPECT_EQ(map.heatOf(wire)->amount, 1) << "its gradient is 0";
  map.setQuantity(99);
  EXPECT_EQ(map.quantity(), zeros);
  run.restart();
  ASSERT_TRUE(wait_for([&] { return !instruments.known(); }));
  EXPECT_EQ(heat("mse"), -1);
}

TEST(InstrumentsModel, HeatMapSaysWhatIsOfASample) {
  Document d;
  fill(d, 0.5);
  RunModel run(d, assets_of(d));
  InstrumentsModel instruments(run);
  const InstrumentsHeat heat(instruments);
  run.start();
  ASSERT_TRUE(wait_for([&] { return run.state() == "finished" && instruments.known(); }));
  const auto quantity = [](InstrumentQuantity q) {
    const auto& all = instrument_quantities();
    return static_cast<int>(std::ranges::find(all, q, &InstrumentQuantityInfo::quantity) - all.begin());
  };
  const int norm = quantity(InstrumentQuantity::gradient_norm), zeros = quantity(InstrumentQuantity::zero);
  EXPECT_TRUE(heat.figureOf("relu", norm).startsWith("≈ ")) << heat.figureOf("relu", norm).toStdString();
  EXPECT_THAT(heat.wordsOf("relu", norm).toStdString(), ::testing::HasSubstr("(of 4,096 sampled)"));
  EXPECT_EQ(heat.figureOf("relu", zeros), "0") << "counted";
  EXPECT_THAT(heat.wordsOf("relu", zeros).toStdString(), ::testing::Not(::testing::HasSubstr("sampled")));
}

}  // namespace
}  // namespace hw::app::testing::instruments_model_test
