// Export to ONNX of a document: with what it has learnt, again after a file that cannot be written, and of no document
// that is not open any more.
#include "app/models/exports/onnx_export.h"

#include <gtest/gtest.h>

#include <QFile>
#include <QFileInfo>

#include "app/document/document_assets.h"
#include "app/models/run/run_model.h"
#include "engine/io/tensor/weights_file.h"
#include "tests/app/support.h"

namespace hw::app::testing::onnx_export_test {
namespace {

/// A Linear that is trained for a few steps, and given.
void fill(Document& d) {
  const ParamValue shape = std::vector<double>{4, 3};
  ASSERT_TRUE(d.push("Fill", {AddNode{node("x", "constant", {{"shape", shape}})},
                              AddNode{node("target", "constant", {{"shape", shape}, {"value", 0.5}})},
                              AddNode{node("a", "linear", {{"out_features", int64_t{3}}})}, AddNode{node("mse", "mse")},
                              AddNode{node("train", "train", {{"steps", int64_t{5}}})},
                              AddNode{node("result", "output")}, AddLink{{"x", "y", "a", "x"}},
                              AddLink{{"a", "y", "mse", "prediction"}}, AddLink{{"target", "y", "mse", "target"}},
                              AddLink{{"mse", "loss", "train", "loss"}}, AddLink{{"a", "y", "result", "x"}}}));
}

/// x → a node that ONNX has no operators for → Output.
void fill_refused(Document& d) {
  ASSERT_TRUE(d.push("Fill", {AddNode{node("x", "input", {{"shape", std::vector<double>{4, 3}}})},
                              AddNode{node("f", "spherical_harmonics")}, AddNode{node("result", "output")},
                              AddLink{{"x", "y", "f", "x"}}, AddLink{{"f", "features", "result", "x"}}}));
}

bool settled(const OnnxExport& model) {
  return wait_for([&] { return !model.busy(); });
}

class OnnxExportModel : public ::testing::Test {
 protected:
  QUrl file(const char* name) const { return QUrl::fromLocalFile(folder_.filePath(QString::fromLatin1(name))); }
  const QTemporaryDir folder_;
  Document document_;
  OnnxExport export_{document_, assets_of(document_)};
};

TEST_F(OnnxExportModel, AnotherFileCanBeChosenWhereOneWasNotWritten) {
  fill(document_);
  export_.look();
  ASSERT_TRUE(settled(export_));
  ASSERT_TRUE(export_.ready());
  QFile plain(folder_.filePath(QStringLiteral("plain")));
  ASSERT_TRUE(plain.open(QIODevice::WriteOnly));
  export_.start(file("plain/m.onnx"));  // below a file that is no folder
  ASSERT_TRUE(settled(export_));
  EXPECT_FALSE(export_.failure().isEmpty());
  EXPECT_TRUE(export_.problem().isEmpty()) << export_.problem().toStdString();
  EXPECT_TRUE(export_.file().isEmpty());
  ASSERT_TRUE(export_.ready());
  export_.start(file("m.onnx"));
  ASSERT_TRUE(settled(export_));
  EXPECT_TRUE(export_.failure().isEmpty()) << export_.failure().toStdString();
  EXPECT_TRUE(export_.file().endsWith(QStringLiteral("m.onnx")));
  EXPECT_TRUE(QFileInfo::exists(file("m.onnx").toLocalFile()));
}

TEST_F(OnnxExportModel, ADocumentThatIsNotOpenAnyMoreIsNotListed) {
  fill_refused(document_);
  export_.look();
  ASSERT_TRUE(settled(export_));
  ASSERT_EQ(export_.rowCount(), 1);
  export_.look();
  ASSERT_TRUE(export_.busy());
  document_.newDocument();
  fill(document_);
  ASSERT_TRUE(settled(export_));
  EXPECT_EQ(export_.rowCount(), 0);
  EXPECT_TRUE(export_.ready()) << export_.problem().toStdString();
}

TEST_F(OnnxExportModel, TheWeightsAreThoseThatSaveWrites) {
  fill(document_);
  RunModel run(document_, assets_of(document_));
  run.start();
  ASSERT_TRUE(wait_for([&] { return run.state() == "finished" && document_.weights()->tensors(); }));
  export_.look();
  ASSERT_TRUE(settled(export_));
  export_.start(file("m.onnx"));
  ASSERT_TRUE(settled(export_));
  EXPECT_TRUE(export_.failure().isEmpty()) << export_.failure().toStdString();
  EXPECT_TRUE(export_.notes().isEmpty()) << export_.notes().join('\n').toStdString();
  ASSERT_TRUE(document_.saveAs(file("g.halfwire")));
  ASSERT_TRUE(document_.weights()->written());
  const auto saved = read_weights(folder_.filePath(QStringLiteral("g.safetensors")).toStdString());
  ASSERT_TRUE(saved) << saved.error().text();
  const auto model = interop::read_onnx(file("m.onnx").toLocalFile().toStdString());
  ASSERT_TRUE(model) << model.error().text();
  for (const char* parameter : {"a.weight", "a.bias"}) {
    ASSERT_TRUE(saved->tensors.contains(parameter) && model->graph.initializers.contains(parameter)) << parameter;
    const auto exported = model->graph.initializers.at(parameter).read();
    ASSERT_TRUE(exported) << exported.error().text();
    EXPECT_EQ(exported->to_f64(), saved->tensors.at(parameter).to_f64()) << parameter;
  }
  Document untrained;
  fill(untrained);
  OnnxExport initial(untrained, assets_of(untrained));
  initial.look();
  ASSERT_TRUE(settled(initial));
  initial.start(file("initial.onnx"));
  ASSERT_TRUE(settled(initial));
  EXPECT_EQ(initial.notes().size(), 1) << "that nothing was learnt";
  const auto first = interop::read_onnx(file("initial.onnx").toLocalFile().toStdString());
  ASSERT_TRUE(first) << first.error().text();
  EXPECT_NE(first->graph.initializers.at("a.weight").read()->to_f64(), saved->tensors.at("a.weight").to_f64());
}

}  // namespace
}  // namespace hw::app::testing::onnx_export_test
