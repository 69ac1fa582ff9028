// The X-ray as a source of the heat map: what colours nodes and wires, what is said of them, what is marked.
#include "app/models/checks/xray_heat.h"

#include <gtest/gtest.h>

#include "app/document/document_assets.h"
#include "app/models/graph/graph_model.h"
#include "app/models/instruments/heat_map_model.h"
#include "app/models/instruments/instruments_heat.h"
#include "app/models/run/run_model.h"
#include "tests/app/support.h"

namespace hw::app::testing::xray_heat_test {
namespace {

/// A parameter of `scale` through f16 and back, against 0; `trains`: with a Train node.
void fill(Document& d, double scale, bool trains) {
  const ParamValue shape = std::vector<double>{64, 3};
  ASSERT_TRUE(d.push(
      "Fill",
      {AddNode{node("p", "parameter", {{"shape", shape}, {"init", std::string("normal")}, {"scale", scale}})},
       AddNode{node("same", "relu")}, AddNode{node("narrow", "cast", {{"to", std::string("f16")}})},
       AddNode{node("wide", "cast", {{"to", std::string("f32")}})},
       AddNode{node("target", "constant", {{"shape", shape}, {"value", 0.0}})}, AddNode{node("mse", "mse")},
       AddLink{{"p", "y", "same", "x"}}, AddLink{{"same", "y", "narrow", "x"}}, AddLink{{"narrow", "y", "wide", "x"}},
       AddLink{{"wide", "y", "mse", "prediction"}}, AddLink{{"target", "y", "mse", "target"}}}));
  if (!trains) return;
  ASSERT_TRUE(d.push("Train", {AddNode{node("train", "train")}, AddLink{{"mse", "loss", "train", "loss"}}}));
}

struct Rig {
  Rig(double scale, bool trains) { fill(d, scale, trains); }
  void look() {
    map.act();
    ASSERT_TRUE(wait_for([&] { return xray.report() && !xray.running(); })) << xray.problem().toStdString();
  }
  double amount(const char* id) { return map.heatOf(QString(id)).value_or(Heat{-1}).amount; }

  Document d;
  RunModel run{d, assets_of(d)};
  XrayModel xray{d, run, assets_of(d)};
  XrayHeat source{xray};
  HeatMapModel map{{&source}};
};

const Link kIntoNarrow{"same", "y", "narrow", "x"}, kOutOfNarrow{"narrow", "y", "wide", "x"},
    kOutOfWide{"wide", "y", "mse", "prediction"};

TEST(XrayHeat, OffersToRunAndThenColours) {
  Rig r(1, true);
  GraphModel graph(r.d);
  graph.setHeatMap(&r.map);
  int looks = 0;
  QObject::connect(&graph, &GraphModel::wireLooksChanged, &graph, [&] { ++looks; });
  ASSERT_TRUE(r.map.show("xray.introduced"));
  EXPECT_EQ(r.map.shown(), "xray.introduced");
  EXPECT_TRUE(r.map.note().startsWith("Not looked at yet"));
  EXPECT_EQ(r.map.action(), "X-ray");
  EXPECT_FALSE(r.map.heatOf("narrow"));
  EXPECT_EQ(r.map.of("narrow")["text"], "–");
  const int before = looks;
  ASSERT_NO_FATAL_FAILURE(r.look());
  EXPECT_GT(looks, before) << "wireLooksChanged is emitted";
  EXPECT_EQ(r.map.action(), "");
  EXPECT_TRUE(r.map.note().contains("initial weights"));

  // Rounding to f16: half of 2^-11 at most, 2e-4 or so: in the middle of 1e-6 … 0.1 on a log scale.
  EXPECT_NEAR(r.amount("narrow"), 0.46, 0.05);
  EXPECT_EQ(r.amount("wide"), 0) << "widening is exact";
  EXPECT_LT(r.map.heatOf(kIntoNarrow)->amount, 0.01);
  EXPECT_NEAR(r.map.heatOf(kOutOfNarrow)->amount, r.amount("narrow"), 1e-12) << "the wire carries it";
  EXPECT_EQ(r.map.heatOf(kOutOfWide)->amount, 0);
  EXPECT_FALSE(r.map.heatOf("train"));
  ASSERT_TRUE(r.map.show("xray.inherited"));
  EXPECT_EQ(r.amount("narrow"), 0);
  EXPECT_NEAR(r.amount("wide"), 0.46, 0.05);
  ASSERT_TRUE(r.map.show("xray.bits"));
  EXPECT_LT(r.amount("narrow"), 0.1) << "of 11 bits";
  EXPECT_GT(r.amount("wide"), 0.4) << "of 24 bits";
  EXPECT_TRUE(r.map.of("wide")["text"].toString().endsWith(" of 24"));
  const QString words = r.map.wordsOf(kOutOfNarrow);
  EXPECT_TRUE(words.startsWith("Bits Left\ny, f16\n  introduced 0.000")) << words.toStdString();
  EXPECT_TRUE(words.endsWith(" of 11 bits left")) << words.toStdString();
  EXPECT_FALSE(r.map.marks());
}

TEST(XrayHeat, GradientsShowOnTheNodeThatMakesThem) {
  Rig r(1, true);
  ASSERT_NO_FATAL_FAILURE(r.look());
  ASSERT_TRUE(r.map.show("xray.gradients.introduced"));
  // The gradient of wide's input is stored in f16: wide makes it, the wire into wide carries it.
  EXPECT_GT(r.amount("wide"), 0.3);
  EXPECT_NEAR(r.map.heatOf(kOutOfNarrow)->amount, r.amount("wide"), 1e-12);
  EXPECT_TRUE(r.map.wordsOf(kOutOfNarrow).contains("grad(narrow.y), f16"));
  EXPECT_LT(r.amount("narrow"), 0.01) << "its input's gradient is f32, of the same numbers";
  // The first row of the table is what its button shows.
  const bool backward = r.xray.data(r.xray.index(0), XrayModel::BackwardRole).toBool();
  EXPECT_EQ(r.xray.mapped(), backward ? "xray.gradients.introduced" : "xray.introduced");
  r.xray.setSorting("bits");
  EXPECT_TRUE(r.xray.mapped().endsWith("bits"));
  EXPECT_TRUE(r.map.show(r.xray.mapped()));
  EXPECT_FALSE(r.map.show("xray.nothing"));
}

TEST(XrayHeat, SaysThatItIsOld) {
  Rig r(1, false);
  ASSERT_NO_FATAL_FAILURE(r.look());
  ASSERT_TRUE(r.map.show("xray.gradients.bits"));
  EXPECT_TRUE(r.map.note().contains("no gradients")) << r.map.note().toStdString();
  EXPECT_FALSE(r.map.heatOf("narrow"));
  ASSERT_TRUE(r.map.show("xray.introduced"));
  EXPECT_FALSE(r.map.stale());
  ASSERT_TRUE(r.d.push("Edit", {SetParam{"narrow", "to", std::string("bf16")}}));
  EXPECT_TRUE(r.map.stale());
  EXPECT_TRUE(r.map.note().contains("edited since"));
  EXPECT_TRUE(r.map.wordsOf("narrow").endsWith("edited since."));
  EXPECT_EQ(r.map.action(), "X-ray Again");
  EXPECT_GE(r.amount("narrow"), 0) << "still shown, as what it is";
  r.d.undo();
  EXPECT_FALSE(r.map.stale()) << "it is the graph that was looked at";
  EXPECT_EQ(r.map.action(), "");
  r.d.redo();
  EXPECT_TRUE(r.map.stale());
  r.d.newDocument();
  EXPECT_FALSE(r.map.stale());
  EXPECT_FALSE(r.map.heatOf("narrow"));
}

TEST(XrayHeat, TheMapBeginsWithWhatThereAreNumbersOf) {
  Rig r(1, false);
  const InstrumentsModel instruments(r.run);
  InstrumentsHeat idle(instruments);
  HeatMapModel map({&idle, &r.source});
  map.setOn(true);
  EXPECT_TRUE(map.note().startsWith("Run the graph")) << map.note().toStdString();
  map.setOn(false);
  ASSERT_NO_FATAL_FAILURE(r.look());
  map.setOn(true);
  EXPECT_EQ(map.shown(), "xray.introduced");
  map.setQuantity(0);
  map.setOn(false);
  map.setOn(true);
  EXPECT_EQ(map.quantity(), 0) << "what was chosen stays chosen";
}

TEST(XrayHeat, MarksWhatIsNotFinite) {
  Rig r(1e6, false);
  ASSERT_NO_FATAL_FAILURE(r.look());
  ASSERT_TRUE(r.map.show("xray.introduced"));
  EXPECT_TRUE(r.map.marks());
  EXPECT_TRUE(r.map.heatOf("narrow")->bad);
  EXPECT_EQ(r.amount("narrow"), 1) << "it made them";
  EXPECT_TRUE(r.map.heatOf(kOutOfNarrow)->bad);
  EXPECT_FALSE(r.map.heatOf(kIntoNarrow)->bad);
  EXPECT_TRUE(r.map.heatOf("wide")->bad) << "handed on";
  EXPECT_LT(r.amount("wide"), 1) << "not made there";
  EXPECT_EQ(r.map.of("narrow")["text"], "Inf, NaN");
  EXPECT_TRUE(r.map.wordsOf("narrow").contains("Inf or NaN"));
  ASSERT_TRUE(r.map.show("xray.bits"));
  EXPECT_EQ(r.amount("wide"), 1);
}

}  // namespace
}  // namespace hw::app::testing::xray_heat_test
