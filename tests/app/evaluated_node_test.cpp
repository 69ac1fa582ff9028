// The active node's tensors without a run: after each edit, with the weights that are there.
#include "app/models/tensors/evaluated_node.h"

#include <gtest/gtest.h>

#include <QThread>

#include "app/document/document_assets.h"
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
  l.d.setWeights(weights);
  l.look_at("l");
  EXPECT_TRUE(wait_for([&] { return l.values() == std::vector<double>(32, 0); }));
  EXPECT_EQ(l.d.weights(), weights);
  EXPECT_EQ(weights->at("l.weight").to_f64(), std::vector<double>(128, 0));
}

TEST(EvaluatedNode, AScrubIsFollowedWhileItGoesOn) {
  Looked l;
  l.look_at("c");
  ASSERT_TRUE(wait_for([&] { return !l.values().empty(); }));
  int shown = 0;
  QObject::connect(&l.node, &EvaluatedNode::contentChanged, &l.node, [&] { ++shown; });
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(l.d.push("Scrub", {SetParam{"c", "value", 2.0 + i}}, 7));
    QCoreApplication::processEvents(QEventLoop::AllEvents, 5);
    QThread::msleep(5);
  }
  EXPECT_GT(shown, 3) << "not only once the hand rests";
  EXPECT_TRUE(wait_for([&] { return l.values() == std::vector<double>(4, 101); }));
}

}  // namespace
}  // namespace hw::app::testing
