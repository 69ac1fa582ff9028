// The active node's tensors without a run: after each edit, with the weights that are there.
#include "app/models/tensors/evaluated_node.h"

#include <gtest/gtest.h>

#include <QThread>
#include <algorithm>
#include <cmath>

#include "app/document/document_assets.h"
#include "app/document/text.h"
#include "app/models/run/run_model.h"
#include "app/models/tensors/tensor_model.h"
#include "tests/app/support.h"

namespace hw::app::testing {
namespace {

/// constant → linear, without Train.
struct Looked {
  Document d;
  std::shared_ptr<DocumentAssets> assets = assets_of(d);
  RunModel run{d, assets};
  EvaluatedNode node{d, run, assets};
  TensorModel tensors{run, &node, TensorModel::What::values};
  Looked() {
    EXPECT_TRUE(d.push("Fill", {AddNode{hw::app::testing::node("c", "constant", {{"shape", std::vector<double>{4}}})},
                                AddNode{hw::app::testing::node("l", "linear")}, AddLink{{"c", "y", "l", "x"}}}));
    node.setWatched(true);
    tensors.setWatched(true);
  }
  std::vector<double> values() const {
    return node.inspection() ? node.inspection()->items.front().value.to_f64() : std::vector<double>();
  }
  void look_at(const char* id) { d.selectNode(QLatin1String(id)); }
};

TEST(EvaluatedNode, FollowsSelectionAndEdits) {
  Looked l;
  EXPECT_FALSE(l.node.inspection());
  l.look_at("c");
  ASSERT_TRUE(wait_for([&] { return l.values() == std::vector<double>(4, 1); })) << l.node.hint().toStdString();
  ASSERT_TRUE(wait_for([&] { return l.tensors.count() == 1; }));
  EXPECT_TRUE(l.tensors.evaluated());
  ASSERT_TRUE(l.d.push("Set", {SetParam{"c", "value", 2.5}}));
  EXPECT_TRUE(wait_for([&] { return l.values() == std::vector<double>(4, 2.5); }));
  l.d.undo();
  EXPECT_TRUE(wait_for([&] { return l.values() == std::vector<double>(4, 1); }));
  l.look_at("l");
  EXPECT_TRUE(wait_for([&] { return l.values().size() == 32; }));
  EXPECT_TRUE(wait_for([&] { return l.tensors.count() == 3; })) << "y, weight, bias";
}

TEST(EvaluatedNode, ShowsNothingOfWhatIsNotChosen) {
  Looked l;
  Group group{"unit", "Unit", {}, {}, ""};
  for (const char* id : {"input", "output"}) group.graph.add_node(node(id, id));
  ASSERT_TRUE(l.d.push("Group", {SetGroup{group}, AddNode{hw::app::testing::node("g", "group:unit")}}));
  for (const char* other : {"g", ""}) {
    l.look_at("c");
    ASSERT_TRUE(wait_for([&] { return l.tensors.count() == 1; }));
    *other ? l.look_at(other) : l.d.clearSelection();
    EXPECT_TRUE(wait_for([&] { return l.tensors.count() == 0; })) << other;
  }
}

TEST(EvaluatedNode, AGroupShowsWhatItGives) {
  Looked l;
  Group group{"unit", "Unit", {}, {}, ""};
  group.graph.add_node(node("in", "input"));
  group.graph.add_node(node("n", "neg"));
  group.graph.add_node(node("out", "output"));
  group.graph.add_link({"in", "y", "n", "x"});
  group.graph.add_link({"n", "y", "out", "x"});
  ASSERT_TRUE(l.d.push(
      "Group", {SetGroup{group}, AddNode{hw::app::testing::node("g", "group:unit")}, AddLink{{"c", "y", "g", "in"}}}));
  l.look_at("g");
  ASSERT_TRUE(wait_for([&] { return l.values() == std::vector<double>(4, -1); })) << l.node.hint().toStdString();
  ASSERT_TRUE(wait_for([&] { return l.tensors.count() == 1; }));
  EXPECT_EQ(l.tensors.data(l.tensors.index(0), TensorModel::NameRole).toString(), "out");
  ASSERT_TRUE(l.d.push("Set", {SetParam{"c", "value", 2.5}}));
  EXPECT_TRUE(wait_for([&] { return l.values() == std::vector<double>(4, -2.5); }));
}

TEST(EvaluatedNode, AnUndoShowsWhatWasComputedBefore) {
  Looked l;
  l.look_at("c");
  ASSERT_TRUE(wait_for([&] { return l.values() == std::vector<double>(4, 1); }));
  const auto first = l.node.inspection();
  ASSERT_TRUE(l.d.push("Set", {SetParam{"c", "value", 2.5}}));
  ASSERT_TRUE(wait_for([&] { return l.values() == std::vector<double>(4, 2.5); }));
  const int evaluations = l.node.evaluations();
  l.d.undo();
  ASSERT_TRUE(wait_for([&] { return l.values() == std::vector<double>(4, 1); }));
  EXPECT_EQ(l.node.inspection(), first) << "not computed again";
  l.d.redo();
  ASSERT_TRUE(wait_for([&] { return l.values() == std::vector<double>(4, 2.5); }));
  EXPECT_EQ(l.node.evaluations(), evaluations);
  l.node.reload();
  ASSERT_TRUE(wait_for([&] { return l.node.evaluations() == evaluations + 1; })) << "files may have changed";
}

TEST(EvaluatedNode, SaysWhatIsWrong) {
  Looked l;
  ASSERT_TRUE(l.d.push("Break", {RemoveLink{{"c", "y", "l", "x"}}}));
  l.look_at("l");
  EXPECT_TRUE(wait_for([&] { return l.tensors.hint().contains("not wired"); })) << l.tensors.hint().toStdString();
  EXPECT_EQ(l.tensors.count(), 0);
  l.d.undo();
  EXPECT_TRUE(wait_for([&] { return l.tensors.count() == 3; }));
  EXPECT_EQ(l.tensors.hint(), "");
}

TEST(EvaluatedNode, TakesTheWeightsThatAreThereAndLeavesThem) {
  Looked l;
  const auto weights = std::make_shared<const std::map<std::string, Tensor>>(std::map<std::string, Tensor>{
      {"l.weight", Tensor::zeros(DType::f32, {32, 4})}, {"l.bias", Tensor::zeros(DType::f32, {32})}});
  l.d.weights()->set(weights);
  l.look_at("l");
  EXPECT_TRUE(wait_for([&] { return l.values() == std::vector<double>(32, 0); }));
  EXPECT_EQ(l.d.weights()->tensors(), weights);
  EXPECT_EQ(weights->at("l.weight").to_f64(), std::vector<double>(128, 0));
}

TEST(EvaluatedNode, AScrubIsFollowedWhileItGoesOn) {
  Looked l;
  l.look_at("c");
  ASSERT_TRUE(wait_for([&] { return !l.values().empty(); }));
  int shown = 0;
  QObject::connect(&l.node, &EvaluatedNode::contentChanged, &l.node, [&] { ++shown; });
  double value = 1;
  const QDeadlineTimer deadline(kPatienceMs);
  while (shown <= 3 && !deadline.hasExpired()) {
    ASSERT_TRUE(l.d.push("Scrub", {SetParam{"c", "value", value += 1}}, 7));
    QCoreApplication::processEvents(QEventLoop::AllEvents, 5);
    QThread::msleep(5);
  }
  EXPECT_GT(shown, 3) << "not only once the hand rests";
  EXPECT_TRUE(wait_for([&] { return l.values() == std::vector<double>(4, value); }));
}

TEST(EvaluatedNode, WithLiveOffWaitsUntilItIsAsked) {
  Looked l;
  l.look_at("c");
  ASSERT_TRUE(wait_for([&] { return l.values() == std::vector<double>(4, 1); }));
  l.run.evaluation()->setLive(false);
  EXPECT_FALSE(l.node.older());
  ASSERT_TRUE(l.d.push("Set", {SetParam{"c", "value", 2.5}}));
  EXPECT_TRUE(l.node.older());
  EXPECT_TRUE(l.tensors.older());
  EXPECT_TRUE(l.tensors.hint().contains("Live is off")) << l.tensors.hint().toStdString();
  EXPECT_FALSE(wait_for([&] { return l.values() != std::vector<double>(4, 1); }, 200));
  l.run.evaluation()->evaluate();
  EXPECT_TRUE(wait_for([&] { return l.values() == std::vector<double>(4, 2.5); }));
  EXPECT_FALSE(l.node.older());
  EXPECT_EQ(l.tensors.hint(), "");
  // Another node is not computed either; what is shown is never another's.
  l.look_at("l");
  EXPECT_TRUE(wait_for([&] { return l.tensors.count() == 0; }));
  EXPECT_TRUE(l.tensors.older());
  l.run.evaluation()->evaluate();
  EXPECT_TRUE(wait_for([&] { return l.tensors.count() == 3; }));
  ASSERT_TRUE(l.d.push("Set", {SetParam{"c", "value", 4.0}}));
  l.look_at("c");
  EXPECT_TRUE(l.node.older());
  l.run.evaluation()->setLive(true);
  EXPECT_TRUE(wait_for([&] { return l.values() == std::vector<double>(4, 4); })) << "Live catches up";
}

/// constant [2, 8] of ones → dropout, and → batch norm with weights of its own.
struct Modes {
  Document d;
  std::shared_ptr<DocumentAssets> assets = assets_of(d);
  RunModel run{d, assets};
  EvaluatedNode node{d, run, assets};
  std::shared_ptr<const Weights> weights = std::make_shared<const Weights>(
      Weights{{"b.weight", Tensor::from_f64(DType::f32, {8}, std::vector<double>(8, 1))},
              {"b.bias", Tensor::zeros(DType::f32, {8})},
              {"b.running_mean", Tensor::zeros(DType::f32, {8})},
              {"b.running_var", Tensor::from_f64(DType::f32, {8}, std::vector<double>(8, 1))}});
  Modes() {
    const std::vector<double> shape{2, 8};
    EXPECT_TRUE(d.push(
        "Fill", {AddNode{hw::app::testing::node("c", "constant", {{"shape", shape}, {"value", 3.0}})},
                 AddNode{hw::app::testing::node("drop", "dropout")}, AddNode{hw::app::testing::node("b", "batch_norm")},
                 AddLink{{"c", "y", "drop", "x"}}, AddLink{{"c", "y", "b", "x"}}}));
    d.weights()->set(weights);
    node.setWatched(true);
  }
  std::vector<double> item(const std::string& name) const {
    const auto shown = node.inspection();
    if (!shown || to_std(d.activeNode()) != shown->node) return {};
    for (const auto& item : shown->items)
      if (item.name == name) return item.value.to_f64();
    return {};
  }
};

TEST(EvaluatedNode, TrainingModeDropsAndChangesNoStatistic) {
  Modes m;
  m.d.selectNode("drop");
  ASSERT_TRUE(wait_for([&] { return m.item("y") == std::vector<double>(16, 3); })) << m.node.hint().toStdString();
  EXPECT_FALSE(m.node.inspection()->training);
  m.run.evaluation()->setTraining(true);
  ASSERT_TRUE(wait_for([&] { return m.node.inspection() && m.node.inspection()->training; }));
  const std::vector<double> dropped = m.item("y");
  EXPECT_GT(std::count(dropped.begin(), dropped.end(), 0.0), 0);
  m.d.selectNode("b");
  ASSERT_TRUE(wait_for([&] { return m.item("y") == std::vector<double>(16, 0); })) << "three is the batch's mean";
  EXPECT_EQ(m.item("running_mean"), std::vector<double>(8, 0));
  EXPECT_EQ(m.item("running_var"), std::vector<double>(8, 1));
  EXPECT_EQ(m.d.weights()->tensors(), m.weights);
  EXPECT_EQ(m.weights->at("b.running_mean").to_f64(), std::vector<double>(8, 0));
  EXPECT_FALSE(m.d.modified() && m.d.weights()->tensors() != m.weights);
  m.run.evaluation()->setTraining(false);
  EXPECT_TRUE(wait_for([&] { return m.item("y").size() == 16 && std::abs(m.item("y").front() - 3) < 1e-3; }));
}

TEST(EvaluatedNode, WhatDoesNotFitIsRefusedWithTheFigure) {
  Looked l;
  l.look_at("c");
  ASSERT_TRUE(wait_for([&] { return !l.values().empty(); }));
  // 16 GiB of weights in each of 64 layers.
  Edits layers;
  for (int i = 0; i < 64; ++i) {
    const std::string id = "l" + std::to_string(i);
    layers.push_back(AddNode{node(id, "linear", {{"out_features", int64_t{65536}}})});
    layers.push_back(AddLink{{i ? "l" + std::to_string(i - 1) : "c", "y", id, "x"}});
  }
  ASSERT_TRUE(l.d.push("Grow", layers));
  l.look_at("l63");
  EXPECT_TRUE(wait_for([&] { return l.tensors.hint().contains("t needs about 1008 GiB"); }))
      << l.tensors.hint().toStdString();
  EXPECT_TRUE(l.tensors.hint().contains("is free")) << l.tensors.hint().toStdString();
  EXPECT_FALSE(l.node.inspection());
  l.look_at("c");
  EXPECT_TRUE(wait_for([&] { return l.values() == std::vector<double>(4, 1); }));
}

}  // namespace
}  // namespace hw::app::testing
