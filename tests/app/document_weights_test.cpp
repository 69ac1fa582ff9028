// Weights beside a graph's file, without a document: read, written, and too late.
#include "app/document/document_weights.h"

#include <gtest/gtest.h>

#include <QDir>
#include <QFileInfo>
#include <filesystem>

#include "engine/graph/edit.h"
#include "engine/io/tensor/weights_file.h"
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

TEST_F(WeightsBesideAGraph, GoAlongWithACopyThatIsSavedWhileTheyAreRead) {
  ASSERT_TRUE(save_weights({*learnt_, {}}, file("g.safetensors").toStdString()));
  DocumentWeights weights(graph_, validator_);
  weights.open(file("g.halfwire"), reach());
  ASSERT_TRUE(weights.pending());
  weights.save(file("copy.halfwire"));
  ASSERT_TRUE(weights.written());
  const auto copy = read_weights(file("copy.safetensors").toStdString());
  ASSERT_TRUE(copy) << copy.error().text();
  EXPECT_EQ(copy->tensors.at("w.value").to_f64(), (std::vector<double>{1.5, -2}));
  ASSERT_TRUE(wait_for([&] { return weights.tensors() != nullptr; }));
  EXPECT_FALSE(weights.modified());
  EXPECT_EQ(weights.savedFile(), file("copy.safetensors"));
}

TEST_F(WeightsBesideAGraph, ThatDoNotFitGoAlongWithACopy) {
  ASSERT_TRUE(save_weights({{{"w.value", Tensor::zeros(DType::f32, {3})}}, {}}, file("g.safetensors").toStdString()));
  DocumentWeights weights(graph_, validator_);
  weights.open(file("g.halfwire"), reach());
  ASSERT_TRUE(wait_for([&] { return !weights.problems().empty(); }));
  weights.save(file("copy.halfwire"));
  ASSERT_TRUE(weights.written());
  EXPECT_TRUE(read_weights(file("copy.safetensors").toStdString()));
}

TEST_F(WeightsBesideAGraph, OfSeveralGraphsAreSetAsideEachUnderANameOfItsOwn) {
  for (const double value : {1.0, 2.0, 3.0}) {
    const Weights other{{"v.value", Tensor::from_f64(DType::f32, {1}, {{value}})}};
    ASSERT_TRUE(save_weights({other, {}}, file("g.safetensors").toStdString()));
    DocumentWeights weights(graph_, validator_);
    weights.save(file("g.halfwire"));
    ASSERT_TRUE(weights.written());
  }
  const char* const names[] = {"g.previous.safetensors", "g.previous-2.safetensors", "g.previous-3.safetensors"};
  for (int k = 0; k < 3; ++k) {
    const auto kept = read_weights(file(names[k]).toStdString());
    ASSERT_TRUE(kept) << names[k];
    EXPECT_EQ(kept->tensors.at("v.value").to_f64(), std::vector<double>{k + 1.0});
  }
}

/// Such as those that were downloaded, and lie beside a model that is imported and saved.
TEST_F(WeightsBesideAGraph, OfAnotherGraphAreSetAsideBeforeTheseAreWritten) {
  const Weights other{{"v.value", Tensor::from_f64(DType::f32, {1}, {{7}})}};
  ASSERT_TRUE(save_weights({other, {}}, file("g.safetensors").toStdString()));
  DocumentWeights weights(graph_, validator_);
  std::vector<std::string> said;
  QObject::connect(&weights, &DocumentWeights::explained, &weights,
                   [&](const QString&, const std::vector<std::string>& lines) { said = lines; });
  weights.set(learnt_);
  weights.save(file("g.halfwire"));
  ASSERT_TRUE(weights.written());
  const auto kept = read_weights(file("g.previous.safetensors").toStdString());
  ASSERT_TRUE(kept) << kept.error().text();
  EXPECT_EQ(kept->tensors.at("v.value").to_f64(), std::vector<double>{7});
  ASSERT_TRUE(wait_for([&] { return !said.empty(); }));
  EXPECT_EQ(said[0], "g.safetensors held other weights. They are kept as g.previous.safetensors.");
  weights.set(std::make_shared<const Weights>(*learnt_));
  weights.save(file("g.halfwire"));
  ASSERT_TRUE(weights.written());
  EXPECT_TRUE(read_weights(file("g.safetensors").toStdString())->tensors.contains("w.value"));
  EXPECT_FALSE(QFileInfo::exists(file("g.previous-2.safetensors"))) << "its own are replaced";
}

TEST_F(WeightsBesideAGraph, OutOfReachDoNotGoAlongWithACopyWhichIsSaid) {
  const QTemporaryDir elsewhere;
  const std::string outside = elsewhere.filePath("w.safetensors").toStdString();
  ASSERT_TRUE(save_weights({*learnt_, {}}, outside));
  std::filesystem::create_symlink(outside, file("g.safetensors").toStdString());
  DocumentWeights weights(graph_, validator_);
  std::vector<std::string> said;
  QObject::connect(&weights, &DocumentWeights::explained, &weights,
                   [&](const QString&, const std::vector<std::string>& lines) { said = lines; });
  weights.open(file("g.halfwire"), reach());
  ASSERT_EQ(weights.problems().size(), 1u);
  weights.save(file("copy.halfwire"));
  ASSERT_TRUE(wait_for([&] { return !said.empty(); }));
  EXPECT_TRUE(said[0].find("the copy has no weights") != std::string::npos) << said[0];
  EXPECT_FALSE(QFileInfo::exists(file("copy.safetensors")));
  Reach wider = reach();
  wider.allow(outside);
  weights.extendReach(wider);
  ASSERT_TRUE(wait_for([&] { return weights.tensors() != nullptr; }));
  EXPECT_TRUE(weights.modified()) << "they are not saved with the copy yet";
  weights.save(file("copy.halfwire"));
  ASSERT_TRUE(weights.written());
  EXPECT_TRUE(read_weights(file("copy.safetensors").toStdString()));
}

TEST_F(WeightsBesideAGraph, LoadedForAGraphThatWasEditedMeanwhileAreFittedAnew) {
  DocumentWeights weights(graph_, validator_);
  int ready = 0, refused = 0;
  QObject::connect(&weights, &DocumentWeights::loadReady, &weights, [&] { ++ready; });
  QObject::connect(&weights, &DocumentWeights::refused, &weights, [&] { ++refused; });
  weights.load(*learnt_, {}, WeightsTaken::all_or_nothing, OtherDtypes::refused);
  ASSERT_TRUE(apply_edits(graph_, {SetParam{"w", "shape", std::vector<double>{3}}}));
  validator_.reset(graph_);
  weights.fitAgain();
  ASSERT_TRUE(wait_for([&] { return ready + refused > 0; }));
  EXPECT_EQ(refused, 1) << "they do not fit any more";
  EXPECT_EQ(ready, 0);
}

}  // namespace
}  // namespace hw::app::testing
