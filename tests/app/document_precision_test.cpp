// The document's precision policy, and weights whose dtypes do not fit: one undo step each, and nothing half-loaded.
#include <gtest/gtest.h>

#include "app/document/document.h"
#include "engine/graph/precision/remedy.h"
#include "engine/io/graph/graph_file.h"
#include "engine/io/tensor/weights_file.h"
#include "tests/app/support.h"

namespace hw::app::testing {
namespace {

/// Under the policy negotiate a wire that clashes brings its Cast along, in the same undo step.
TEST(DocumentPolicy, CastsComeAndGoWithTheWire) {
  Document d;
  ASSERT_TRUE(
      d.push("Fill", {AddNode{node("c", "constant", {{"dtype", std::string("f16")}})}, AddNode{node("m", "mlp")}}));
  int emitted = 0;
  QObject::connect(&d, &Document::policyChanged, &d, [&] { ++emitted; });
  d.setPolicy("nonsense");
  EXPECT_EQ(d.policy(), "strict");
  d.setPolicy("negotiate");
  EXPECT_EQ(d.policy(), "negotiate");
  EXPECT_EQ(emitted, 1);
  const Graph before = d.graph();
  QStringList lines;
  QObject::connect(&d, &Document::explained, &d, [&](const QString&, const QStringList& said) { lines = said; });
  ASSERT_TRUE(d.push("Wire", {SetParam{"c", "shape", std::vector<double>{4, 8}}, AddLink{{"c", "y", "m", "x"}}}));
  ASSERT_EQ(lines.size(), 1);
  EXPECT_TRUE(lines.first().startsWith("cast from c.y to m.x, f16 → f32: ")) << lines.first().toStdString();
  EXPECT_TRUE(d.graph().find("cast"));
  EXPECT_TRUE(d.validator().all().empty());
  d.undo();
  EXPECT_EQ(d.graph(), before);
  d.undo();
  EXPECT_EQ(d.policy(), "strict");
  EXPECT_EQ(emitted, 2);
  d.setPolicy("autocast f16");
  EXPECT_EQ(d.policy(), "autocast f16");
  d.setPolicy("autocast bf16");
  EXPECT_EQ(d.graph().precision, (Precision{Policy::autocast, DType::bf16})) << "the other one is another policy";
  d.undo();
  EXPECT_EQ(d.policy(), "autocast f16");
}

/// A graph whose file had a clash: nothing is mended on opening, so what mends it later can be distinguished.
Graph negotiated_with_a_clash() {
  Graph graph;
  Node bypassed = node("wide", "cast", {{"to", std::string("f32")}});
  EXPECT_TRUE(apply_edits(
      graph, {AddNode{node("c", "constant", {{"dtype", std::string("f16")}, {"shape", std::vector<double>{4, 8}}})},
              AddNode{node("m", "mlp")}, AddNode{bypassed}, AddNode{node("n", "mlp")}, AddNode{node("drop", "dropout")},
              AddLink{{"c", "y", "m", "x"}}, AddLink{{"c", "y", "wide", "x"}}, AddLink{{"wide", "y", "n", "x"}},
              AddLink{{"c", "y", "drop", "x"}}, SetPolicy{{Policy::negotiate, DType::bf16}}}));
  return graph;
}

TEST(DocumentPolicy, OnlyEditsThatCanChangeADtypeAskIt) {
  const QTemporaryDir folder;
  const QString file = folder.filePath("g.halfwire");
  ASSERT_TRUE(save_graph(negotiated_with_a_clash(), file.toStdString()));
  const struct {
    const char* name;
    Edit edit;
    bool asks;
  } cases[] = {{"a number", SetParam{"drop", "p", 0.25}, false},
               {"sizes", SetParam{"m", "hidden_layers", int64_t{3}}, false},
               {"a place", MoveNode{"m", 9, 9}, false},
               {"collapsed", SetFlags{"wide", true, false}, false},
               {"a dtype", SetParam{"n", "dtype", std::string("f64")}, true},
               {"which weights there are", SetParam{"m", "bias", true}, true},
               {"bypassed", SetFlags{"wide", false, true}, true},
               {"shared", SetTie{"n", "m"}, true}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    Document d;
    ASSERT_TRUE(d.load(QUrl::fromLocalFile(file)));
    ASSERT_FALSE(d.validator().all().empty());
    ASSERT_TRUE(d.push("Edit", {c.edit}));
    EXPECT_EQ(d.validator().all().empty(), c.asks);
    d.undo();
    EXPECT_FALSE(d.validator().all().empty());
    EXPECT_FALSE(d.canUndo()) << "one step";
  }
}

/// Conversions take their time with large weights: not on the GUI thread.
TEST(DocumentWeights, AreConvertedOnAWorker) {
  const QTemporaryDir folder;
  const QString file = folder.filePath("g.halfwire");
  Graph graph;
  ASSERT_TRUE(apply_edits(
      graph, {AddNode{node("x", "random", {{"dtype", std::string("bf16")}, {"shape", std::vector<double>{4, 8}}})},
              AddNode{node("l", "linear", {{"dtype", std::string("bf16")}, {"out_features", int64_t{3}}})},
              AddLink{{"x", "y", "l", "x"}}}));
  ASSERT_TRUE(save_graph(graph, file.toStdString()));
  const WeightsFile weights{
      {{"l.weight", Tensor::zeros(DType::f32, {3, 8})}, {"l.bias", Tensor::zeros(DType::f32, {3})}}, {}};
  ASSERT_TRUE(save_weights(weights, folder.filePath("g.safetensors").toStdString()));
  Document d;
  const Refusals refusals(d);
  int loaded = 0;
  QObject::connect(d.weights(), &DocumentWeights::loaded, &d, [&] { ++loaded; });
  ASSERT_TRUE(d.load(QUrl::fromLocalFile(file)));
  ASSERT_TRUE(wait_for([&] { return refusals.count > 0; }));
  const WeightFormat convert{DType::bf16, false, true};
  ASSERT_TRUE(d.push("Convert", {SetWeight{"l", "weight", convert}, SetWeight{"l", "bias", convert}}));
  EXPECT_TRUE(d.weights()->problems().empty());
  EXPECT_EQ(d.weights()->tensors(), nullptr) << "that the push did not convert them itself";
  // An edit meanwhile: the conversion that was begun is of no use any more.
  ASSERT_TRUE(d.push(
      "Widen", {SetParam{"l", "dtype", std::string("f32")}, SetParam{"x", "dtype", std::string("f32")},
                SetWeight{"l", "weight", WeightFormat{DType::f16, true, true}}, SetWeight{"l", "bias", std::nullopt}}));
  ASSERT_TRUE(wait_for([&] { return d.weights()->tensors() != nullptr; }));
  EXPECT_EQ(d.weights()->tensors()->at("l.weight").dtype(), DType::f16);
  EXPECT_EQ(d.weights()->tensors()->at("l.bias").dtype(), DType::f32);
  EXPECT_EQ(loaded, 1);
}

/// Weights of another dtype are not taken: the reason and the remedies stand in Problems, and mending takes them.
TEST(DocumentWeights, ThatClashAreTakenOnceTheClashIsMended) {
  const QTemporaryDir folder;
  const QString file = folder.filePath("g.halfwire");
  Graph graph;
  ASSERT_TRUE(apply_edits(
      graph, {AddNode{node("x", "random", {{"dtype", std::string("bf16")}, {"shape", std::vector<double>{4, 8}}})},
              AddNode{node("l", "linear", {{"dtype", std::string("bf16")}, {"out_features", int64_t{3}}})},
              AddLink{{"x", "y", "l", "x"}}}));
  ASSERT_TRUE(save_graph(graph, file.toStdString()));
  const WeightsFile weights{
      {{"l.weight", Tensor::zeros(DType::f8e4m3, {3, 8})}, {"l.bias", Tensor::zeros(DType::f8e4m3, {3})}}, {}};
  ASSERT_TRUE(save_weights(weights, folder.filePath("g.safetensors").toStdString()));
  Document d;
  const Refusals refusals(d);
  ASSERT_TRUE(d.load(QUrl::fromLocalFile(file)));
  ASSERT_TRUE(wait_for([&] { return refusals.count > 0; }));
  EXPECT_EQ(refusals.code, "HW-D003");
  EXPECT_EQ(d.weights()->tensors(), nullptr) << "nothing is half-loaded";
  ASSERT_EQ(d.weights()->problems().size(), 2u);
  for (const Remedy& remedy : std::vector<Remedy>(d.weights()->problems().front().remedies)) {
    if (remedy.kind != Remedy::Kind::negotiate) continue;
    ASSERT_TRUE(d.push("Negotiate", remedy_edits(d.graph(), remedy)));
  }
  EXPECT_TRUE(d.weights()->problems().empty());
  ASSERT_NE(d.weights()->tensors(), nullptr);
  EXPECT_EQ(d.weights()->tensors()->at("l.weight").dtype(), DType::f8e4m3);
  EXPECT_EQ(refusals.count, 1);
}

}  // namespace
}  // namespace hw::app::testing
