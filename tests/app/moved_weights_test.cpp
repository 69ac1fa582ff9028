// What nodes have learnt goes along when they are grouped in the editor: while it trains, at rest, and in the file.
#include <gtest/gtest.h>

#include <QUrl>

#include "app/document/document_assets.h"
#include "app/models/graph/graph_model.h"
#include "app/models/graph/groups.h"
#include "app/models/run/run_model.h"
#include "app/models/weights/weight_map_model.h"
#include "engine/io/tensor/weights_file.h"
#include "tests/app/support.h"

namespace hw::app::testing::moved_weights_test {
namespace {

void fill(Document& d) {
  const ParamMap three{{"out_features", int64_t{3}}};
  ASSERT_TRUE(d.push(
      "Fill", {AddNode{node("x", "constant", {{"shape", std::vector<double>{4, 3}}})},
               AddNode{node("target", "constant", {{"shape", std::vector<double>{4, 3}}})},
               AddNode{node("a", "linear", three)}, AddNode{node("b", "linear", three)}, AddNode{node("mse", "mse")},
               AddNode{node("train", "train", {{"steps", int64_t{20}}})}, AddLink{{"x", "y", "a", "x"}},
               AddLink{{"a", "y", "b", "x"}}, AddLink{{"b", "y", "mse", "prediction"}},
               AddLink{{"target", "y", "mse", "target"}}, AddLink{{"mse", "loss", "train", "loss"}}}));
}

std::vector<double> weight(const Document& d, const std::string& name) {
  const auto weights = d.weights()->tensors();
  const auto found = weights ? weights->find(name) : std::map<std::string, Tensor>::const_iterator();
  return weights && found != weights->end() ? found->second.to_f64() : std::vector<double>();
}

TEST(MovedWeights, AreKeptByGroupUngroupUndoAndSave) {
  const QTemporaryDir folder;
  const QUrl file = QUrl::fromLocalFile(folder.filePath("g.halfwire"));
  Document d;
  fill(d);
  GraphModel graph(d);
  RunModel run(d, assets_of(d));
  run.start();
  ASSERT_TRUE(wait_for([&] { return run.state() == "finished" && !weight(d, "a.weight").empty(); }));
  const std::vector<double> learnt = weight(d, "a.weight");
  d.select({"a", "b"}, "a");
  graph.groups()->groupSelection();
  const std::string instance = d.activeNode().toStdString();
  EXPECT_EQ(weight(d, instance + "/a.weight"), learnt);
  EXPECT_TRUE(weight(d, "a.weight").empty());
  ASSERT_TRUE(
      wait_for([&] { return run.snapshot().weights && run.snapshot().weights->contains(instance + "/a.weight"); }));
  EXPECT_EQ(weight(d, instance + "/a.weight"), learnt) << "as the run has them";

  ASSERT_TRUE(d.saveAs(file));
  ASSERT_TRUE(wait_for([&] { return !d.weights()->busy(); }));
  Document again;
  Refusals refusals(again);
  ASSERT_TRUE(again.load(file));
  ASSERT_TRUE(wait_for([&] { return again.weights()->tensors() != nullptr; })) << refusals.reason.toStdString();
  EXPECT_EQ(weight(again, instance + "/a.weight"), learnt);
  EXPECT_TRUE(again.weights()->problems().empty());

  graph.groups()->ungroupSelection();
  EXPECT_EQ(weight(d, "a.weight"), learnt);
  d.undo();
  EXPECT_EQ(weight(d, instance + "/a.weight"), learnt);
  d.undo();
  EXPECT_EQ(weight(d, "a.weight"), learnt);
  d.redo();
  EXPECT_EQ(weight(d, instance + "/a.weight"), learnt);
  run.start();
  ASSERT_TRUE(wait_for([&] { return run.state() == "finished" && run.step() == 40; })) << run.step();
  EXPECT_TRUE(run.snapshot().notes.empty()) << run.snapshot().notes.front();
}

TEST(MovedWeights, OfAFileMoveBeforeTheFirstStep) {
  const QTemporaryDir folder;
  const QUrl file = QUrl::fromLocalFile(folder.filePath("g.halfwire"));
  std::vector<double> learnt;
  {
    Document d;
    fill(d);
    RunModel run(d, assets_of(d));
    run.start();
    ASSERT_TRUE(wait_for([&] { return run.state() == "finished" && d.weights()->tensors(); }));
    learnt = weight(d, "b.weight");
    ASSERT_TRUE(d.saveAs(file));
    ASSERT_TRUE(wait_for([&] { return !d.weights()->busy(); }));
  }
  Document d;
  GraphModel graph(d);
  RunModel run(d, assets_of(d));
  ASSERT_TRUE(d.load(file));
  ASSERT_TRUE(wait_for([&] { return d.weights()->tensors() && !d.weights()->busy(); }));
  d.select({"b"}, "b");
  graph.groups()->groupSelection();
  const std::string name = d.activeNode().toStdString() + "/b.weight";
  EXPECT_EQ(weight(d, name), learnt);
  EXPECT_TRUE(d.modified()) << "the file beside it has the old names";
  run.stepOnce();
  ASSERT_TRUE(wait_for([&] { return run.snapshot().weights && run.step() > 0; }));
  const std::vector<double> now = run.snapshot().weights->at(name).to_f64();
  ASSERT_EQ(now.size(), learnt.size());
  for (size_t i = 0; i < now.size(); ++i) EXPECT_NEAR(now[i], learnt[i], 0.05) << "one step on from what was learnt";
}

/// Weights of another tool: "net.1" is a, "net.2" is b.
void write_foreign(const QString& file) {
  WeightsFile foreign;
  for (const std::string n : {"1", "2"}) {
    foreign.tensors["net." + n + ".weight"] =
        Tensor::from_f64(DType::bf16, {3, 3}, std::vector<double>(9, n == "1" ? 1 : 2));
    foreign.tensors["net." + n + ".bias"] = Tensor::zeros(DType::bf16, {3});
  }
  ASSERT_TRUE(save_weights(foreign, file.toStdString()));
}

TEST(LoadedWeights, AreOneUndoStepWithTheirNames) {
  const QTemporaryDir folder;
  write_foreign(folder.filePath("w.safetensors"));
  Document d;
  fill(d);
  GraphModel graph(d);
  RunModel run(d, assets_of(d));
  const auto before = std::make_shared<const std::map<std::string, Tensor>>(
      std::map<std::string, Tensor>{{"a.weight", Tensor::zeros(DType::f32, {3, 3})}});
  d.weights()->set(before);
  WeightMapModel map(d, run);
  bool ready = false;
  QObject::connect(&map, &WeightMapModel::ready, &map, [&] { ready = true; });
  map.read(QUrl::fromLocalFile(folder.filePath("w.safetensors")));
  ASSERT_TRUE(wait_for([&] { return ready; }));
  ASSERT_EQ(map.rowCount(), 4);
  EXPECT_FALSE(map.loadable());
  map.setFar(2);
  map.setConvert(true);
  ASSERT_TRUE(map.loadable()) << map.summary().toStdString();
  map.load();
  ASSERT_TRUE(wait_for([&] { return !weight(d, "b.weight").empty(); }));
  EXPECT_EQ(weight(d, "b.weight"), std::vector<double>(9, 2));
  EXPECT_EQ(d.weights()->tensors()->at("b.weight").dtype(), DType::f32);
  EXPECT_EQ(d.graph().weight_names.at("b.weight"), "net.2.weight");

  d.select({"a", "b"}, "a");
  graph.groups()->groupSelection();
  const std::string inside = d.activeNode().toStdString() + "/b.weight";
  EXPECT_EQ(d.graph().weight_names.at(inside), "net.2.weight");
  EXPECT_EQ(weight(d, inside), std::vector<double>(9, 2));

  d.undo();
  EXPECT_EQ(d.graph().weight_names.at("b.weight"), "net.2.weight");
  d.undo();
  EXPECT_TRUE(d.graph().weight_names.empty());
  EXPECT_EQ(d.weights()->tensors(), before);
  d.redo();
  EXPECT_EQ(weight(d, "b.weight"), std::vector<double>(9, 2));
}

TEST(LoadedWeights, ATensorThatIsTakenFromARowIsNotLoaded) {
  const QTemporaryDir folder;
  WeightsFile own;
  for (const std::string n : {"a", "b"}) {
    own.tensors[n + ".weight"] = Tensor::zeros(DType::f32, {3, 3});
    own.tensors[n + ".bias"] = Tensor::zeros(DType::f32, {3});
  }
  ASSERT_TRUE(save_weights(own, folder.filePath("w.safetensors").toStdString()));
  Document d;
  fill(d);
  RunModel run(d, assets_of(d));
  WeightMapModel map(d, run);
  bool ready = false;
  QObject::connect(&map, &WeightMapModel::ready, &map, [&] { ready = true; });
  map.read(QUrl::fromLocalFile(folder.filePath("w.safetensors")));
  ASSERT_TRUE(wait_for([&] { return ready; }));
  EXPECT_TRUE(map.loadable());
  map.choose(0, "");
  EXPECT_FALSE(map.loadable());
  const std::string row = map.data(map.index(0), WeightMapModel::ParameterRole).toString().toStdString();
  map.setPartial(true);
  map.load();
  ASSERT_TRUE(wait_for([&] { return d.weights()->tensors() != nullptr; }));
  EXPECT_EQ(d.weights()->tensors()->size(), 3u);
  EXPECT_FALSE(d.weights()->tensors()->contains(row));
}

}  // namespace
}  // namespace hw::app::testing::moved_weights_test
