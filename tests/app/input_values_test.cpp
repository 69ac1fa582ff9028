// What an Input is evaluated with: a drawing, a file; the document does not change.
#include "app/models/run/input_values.h"

#include <gtest/gtest.h>

#include <QCoreApplication>
#include <QTemporaryDir>

#include "app/document/document_assets.h"
#include "app/document/text.h"
#include "app/models/run/run_model.h"
#include "app/models/tensors/evaluated_node.h"
#include "engine/io/tensor/npy.h"
#include "tests/app/support.h"

namespace hw::app::testing {
namespace {

/// An Input of two pictures of 8 × 8 → neg.
struct Given {
  Document d;
  std::shared_ptr<DocumentAssets> assets = assets_of(d);
  RunModel run{d, assets};
  InputValues inputs{d, *run.evaluation()};
  EvaluatedNode node{d, run, assets};
  QTemporaryDir folder;
  Given() {
    EXPECT_TRUE(d.push("Fill", {AddNode{hw::app::testing::node("i", "input",
                                                               {{"shape", std::vector<double>{2, 1, 8, 8}},
                                                                {"axes", std::string("N C H W")},
                                                                {"example", std::string("zeros")}})},
                                AddNode{hw::app::testing::node("n", "neg")}, AddLink{{"i", "y", "n", "x"}}}));
    node.setWatched(true);
    look_at("i");
  }
  void look_at(const char* id) { d.selectNode(QLatin1String(id)); }
  std::vector<double> values() const {
    return node.inspection() ? node.inspection()->items.front().value.to_f64() : std::vector<double>();
  }
};

TEST(InputValues, ADrawingIsSeenByWhatFollows) {
  Given g;
  EXPECT_TRUE(g.inputs.offered());
  EXPECT_EQ(g.inputs.pictureSize(), QSize(8, 8));
  const QByteArray before = QByteArray::fromStdString(g.d.graph().find("i")->extra);
  QImage drawing(32, 32, QImage::Format_RGB32);
  drawing.fill(Qt::white);
  g.inputs.setDrawing(drawing);
  EXPECT_EQ(g.inputs.given(), "Drawing");
  g.look_at("n");
  EXPECT_FALSE(g.inputs.offered());
  ASSERT_TRUE(wait_for([&] { return g.values() == std::vector<double>(128, -1); })) << to_std(g.node.hint());
  EXPECT_EQ(g.d.undoText(), "Fill") << "the document did not change";
  g.look_at("i");
  g.inputs.clear();
  EXPECT_EQ(g.inputs.given(), "");
  g.look_at("n");
  EXPECT_TRUE(wait_for([&] { return g.values() == std::vector<double>(128, 0); }));
}

TEST(InputValues, AnArrayMustFitAndWaitsWhereItDoesNot) {
  Given g;
  const QString file = g.folder.filePath("x.npy");
  ASSERT_TRUE(save_npy(Tensor::from_f64(DType::f64, {1, 8, 8}, std::vector<double>(64, 3)), to_std(file)));
  g.inputs.setFile(QUrl::fromLocalFile(file));
  g.look_at("n");  // meanwhile
  EXPECT_TRUE(wait_for([&] { return g.values() == std::vector<double>(128, -3); })) << "repeated along N, as f32";
  g.look_at("i");
  EXPECT_EQ(g.inputs.given(), "x.npy");
  EXPECT_EQ(g.inputs.problem(), "");
  ASSERT_TRUE(wait_for([&] { return g.values() == std::vector<double>(128, 3); })) << "repeated along N, as f32";
  ASSERT_TRUE(g.d.push("Shape", {SetParam{"i", "shape", std::vector<double>{2, 1, 9, 9}}}));
  EXPECT_TRUE(g.inputs.problem().contains("the array is")) << to_std(g.inputs.problem());
  EXPECT_TRUE(wait_for([&] { return g.values() == std::vector<double>(162, 0); })) << "its example";
  g.d.undo();
  EXPECT_EQ(g.inputs.problem(), "");
  EXPECT_TRUE(wait_for([&] { return g.values() == std::vector<double>(128, 3); }));
  g.inputs.setFile(QUrl::fromLocalFile(g.folder.filePath("nothing.png")));
  ASSERT_TRUE(wait_for([&] { return g.inputs.problem() != ""; }));
  EXPECT_EQ(g.inputs.given(), "x.npy") << "what was there stays";
}

TEST(InputValues, TheLastFileOrDrawingCounts) {
  Given g;
  const QString file = g.folder.filePath("x.npy");
  ASSERT_TRUE(save_npy(Tensor::from_f64(DType::f64, {1, 8, 8}, std::vector<double>(64, 3)), to_std(file)));
  g.inputs.setFile(QUrl::fromLocalFile(file));
  QImage drawing(8, 8, QImage::Format_RGB32);
  drawing.fill(Qt::white);
  g.inputs.setDrawing(drawing);
  QCoreApplication::processEvents(QEventLoop::AllEvents, 200);
  ASSERT_TRUE(wait_for([&] { return g.values() == std::vector<double>(128, 1); }));
  g.inputs.setFile(QUrl::fromLocalFile(g.folder.filePath("nothing.png")));
  g.inputs.setFile(QUrl::fromLocalFile(file));
  ASSERT_TRUE(wait_for([&] { return g.inputs.given() == "x.npy"; }));
  EXPECT_EQ(g.inputs.problem(), "");
}

}  // namespace
}  // namespace hw::app::testing
