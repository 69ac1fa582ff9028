// Weights beside a graph's file, without a document: read, written, and too late.
#include "app/document/document_weights.h"

#include <gtest/gtest.h>

#include <QDir>

#include "engine/graph/edit.h"
#include "engine/io/weights_file.h"
#include "tests/app/support.h"

namespace hw::app::testing {
namespace {

class WeightsBesideAGraph : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(apply_edits(graph_, {AddNode{node("w", "parameter", {{"shape", std::vector<double>{2}}})}}));
    validator_.reset(graph_);
  }
  QString file(const char* name) const { return folder_.filePath(QString::fromLatin1(name)); }
  Reach reach() const { return Reach(folder_.path().toStdString()); }

  const QTemporaryDir folder_;
  Graph graph_;
  Validator validator_;
  const std::shared_ptr<const Weights> learnt_ =
      std::make_shared<const Weights>(Weights{{"w.value", Tensor::from_f64(DType::f32, {2}, {{1.5, -2}})}});
};

TEST_F(WeightsBesideAGraph, ComeBackAsTheyWereSaved) {
  DocumentWeights weights(graph_, validator_);
  weights.set(learnt_);
  EXPECT_TRUE(weights.modified());
  EXPECT_TRUE(weights.savedFile().isEmpty());
  weights.save(file("g.halfwire"));
  EXPECT_FALSE(weights.modified());
  EXPECT_EQ(weights.savedFile(), file("g.safetensors"));
  ASSERT_TRUE(weights.written());
  weights.clear();
  EXPECT_EQ(weights.tensors(), nullptr);
  weights.open(file("g.halfwire"), reach());
  EXPECT_TRUE(weights.pending());
  ASSERT_TRUE(wait_for([&] { return weights.tensors() != nullptr; }));
  EXPECT_FALSE(weights.pending());
  EXPECT_EQ(weights.tensors()->at("w.value").to_f64(), (std::vector<double>{1.5, -2}));
  EXPECT_FALSE(weights.modified());
}

TEST_F(WeightsBesideAGraph, OfOneThatIsNotOpenAnyMoreAreNotTaken) {
  ASSERT_TRUE(save_weights({*learnt_, {}}, file("g.safetensors").toStdString()));
  DocumentWeights weights(graph_, validator_);
  int loaded = 0;
  QObject::connect(&weights, &DocumentWeights::loaded, &weights, [&] { ++loaded; });
  weights.open(file("g.halfwire"), reach());
  weights.load(*learnt_, {}, WeightsTaken::all_or_nothing, OtherDtypes::refused);
  QObject::connect(&weights, &DocumentWeights::loadReady, &weights, [&] { ++loaded; });
  weights.clear();
  EXPECT_FALSE(weights.pending());
  ASSERT_TRUE(weights.written());  // what was read waits for the event loop now
  QCoreApplication::processEvents();
  EXPECT_EQ(loaded, 0);
  EXPECT_EQ(weights.tensors(), nullptr);
}

TEST_F(WeightsBesideAGraph, ThatCouldNotBeWrittenAreStillModifiedButNotAnotherGraphs) {
  ASSERT_TRUE(QDir(folder_.path()).mkdir(QStringLiteral("g.safetensors")));  // where they would go
  DocumentWeights weights(graph_, validator_);
  std::string refused;
  QObject::connect(&weights, &DocumentWeights::refused, &weights, [&](const Error& error) { refused = error.code; });
  for (const bool another : {false, true}) {
    SCOPED_TRACE(another);
    refused.clear();
    weights.set(std::make_shared<const Weights>(*learnt_));
    weights.save(file("g.halfwire"));
    if (another) weights.clear();
    EXPECT_FALSE(weights.written());
    ASSERT_TRUE(wait_for([&] { return !refused.empty(); }));
    EXPECT_EQ(refused, codes::file_unwritable);
    EXPECT_EQ(weights.modified(), !another);
  }
}

}  // namespace
}  // namespace hw::app::testing
