// Unsaved changes outlive a program that is killed, and only what was not saved.
#include "app/document/recovery.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QDir>
#include <csignal>

#include "app/document/autosave.h"
#include "engine/io/graph/graph_file.h"
#include "engine/io/tensor/weights_file.h"
#include "tests/app/support.h"

namespace hw::app::testing {
namespace {

Graph graph_with(const char* id) {
  Graph graph;
  graph.add_node(node(id, "relu"));
  return graph;
}

FileStamp stamp() {
  return {QDateTime(QDate(2026, 1, 2), QTime(3, 4, 5, 678)), 90};
}

QStringList files(const QTemporaryDir& folder) {
  return QDir(folder.path()).entryList({QStringLiteral("*.unsaved.json")}, QDir::Files);
}

std::shared_ptr<const Weights> weights_of(const char* name, float value) {
  Weights weights;
  weights[name] = Tensor::from_f32(DType::f32, {2}, std::vector<float>{value, 0.1F});
  return std::make_shared<const Weights>(std::move(weights));
}

Graph learner(const char* id = "p") {
  Graph graph;
  graph.add_node(node(id, "parameter", {{"shape", std::vector<double>{2}}}));
  return graph;
}

QStringList weight_files(const QTemporaryDir& folder) {
  return QDir(folder.path()).entryList({QStringLiteral("*.safetensors")}, QDir::Files);
}

/// A graph with weights, which `recovery` has kept.
UnsavedGraph kept_learner(Recovery& recovery) {
  UnsavedGraph unsaved;
  unsaved.graph = learner();
  unsaved.kept = recovery.freshName();
  recovery.keep(unsaved, {true, LearntWeights{learner(), weights_of("p.value", 1), {}, false}});
  recovery.wait();
  return unsaved;
}

/// A program that keeps two graphs and is killed.
void killed(const QString& folder) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    Recovery recovery(folder);
    recovery.keep(
        {graph_with("a"), "/tmp/a.halfwire", stamp(), "a", QDateTime::currentDateTime(), recovery.freshName()});
    recovery.keep({graph_with("b"), "", {}, "b", QDateTime::currentDateTime(), recovery.freshName()});
    recovery.wait();
    raise(SIGKILL);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
}

struct Kept {
  QTemporaryDir folder;
  Recovery recovery{folder.path()};
  Document document;
  Autosave autosave{document, recovery};

  bool edit(const char* id) { return document.push("Add", {AddNode{node(id, "relu")}}); }
  bool has_files(int count) {
    return wait_for([&] {
      recovery.wait();
      return files(folder).size() == count;
    });
  }
};

TEST(Recovery, BringsBackWhatAKilledProgramKept) {
  const QTemporaryDir folder;
  killed(folder.path());
  Recovery recovery(folder.path());
  const std::vector<UnsavedGraph> taken = recovery.take();
  ASSERT_EQ(taken.size(), 2u);
  EXPECT_EQ(taken[0].graph, graph_with("a"));
  EXPECT_EQ(taken[0].path, "/tmp/a.halfwire");
  EXPECT_EQ(taken[0].file, stamp());
  EXPECT_EQ(taken[1].graph, graph_with("b"));
  EXPECT_EQ(taken[1].title, "b");
  EXPECT_TRUE(taken[1].path.isEmpty());
  EXPECT_EQ(files(folder).size(), 2) << "they stay until they are saved or given up";
  EXPECT_TRUE(recovery.take().empty()) << "they are its own now";
  recovery.drop(taken[0].kept);
  recovery.wait();
  EXPECT_EQ(files(folder), QStringList{taken[1].kept + ".unsaved.json"});
}

TEST(Recovery, LeavesThoseOfARunningProgramAlone) {
  const QTemporaryDir folder;
  Recovery running(folder.path());
  running.keep({graph_with("a"), "", {}, "a", QDateTime::currentDateTime(), running.freshName()});
  running.wait();
  Recovery other(folder.path());
  EXPECT_TRUE(other.take().empty());
  EXPECT_EQ(files(folder).size(), 1);
}

TEST(Recovery, PutsADamagedFileAsideAndTakesTheOthers) {
  const QTemporaryDir folder;
  killed(folder.path());
  QFile cut(QDir(folder.path()).filePath(files(folder).first()));
  ASSERT_TRUE(cut.resize(cut.size() / 2));
  Recovery recovery(folder.path());
  QStringList said;
  QObject::connect(&recovery, &Recovery::failed, &recovery,
                   [&](const QString& code, const QString&, const QString& remedy) { said << code << remedy; });
  EXPECT_EQ(recovery.take().size(), 1u);
  ASSERT_EQ(said.size(), 2);
  EXPECT_EQ(said[0], "HW-F003");
  EXPECT_TRUE(said[1].contains(".damaged")) << said[1].toStdString();
  EXPECT_EQ(QDir(folder.path()).entryList({"*.damaged"}).size(), 1);
}

TEST(Recovery, SaysOnceThatNothingCanBeKept) {
  const QTemporaryDir folder;
  const QString blocked = folder.filePath("file");
  QFile file(blocked);
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  Recovery recovery(blocked + "/recovery");
  int said = 0;
  QObject::connect(&recovery, &Recovery::failed, &recovery, [&] { ++said; });
  for (int k = 0; k < 3; ++k)
    recovery.keep({graph_with("a"), "", {}, "a", QDateTime::currentDateTime(), recovery.freshName()});
  recovery.wait();
  EXPECT_TRUE(wait_for([&] { return said > 0; }));
  QCoreApplication::processEvents();
  EXPECT_EQ(said, 1);
}

TEST(Recovery, SaysThatItsFolderCannotBeLocked) {
  const QTemporaryDir folder;
  const QString blocked = folder.filePath("file");
  QFile file(blocked);
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  Recovery recovery(blocked + "/recovery");
  QStringList said;
  QObject::connect(&recovery, &Recovery::failed, &recovery,
                   [&](const QString& code, const QString& reason) { said << code << reason; });
  ASSERT_TRUE(wait_for([&] { return !said.isEmpty(); }));
  EXPECT_EQ(said[0], "HW-F002");
  EXPECT_TRUE(said[1].contains("another Halfwire may take them")) << said[1].toStdString();
  EXPECT_TRUE(said[1].contains("cannot be locked")) << said[1].toStdString();
}

TEST(Autosave, KeepsAnEditAndDropsWhatIsUndone) {
  Kept k;
  ASSERT_TRUE(k.edit("a"));
  EXPECT_TRUE(k.has_files(1));
  k.document.undo();
  EXPECT_TRUE(k.has_files(0));
}

TEST(Autosave, KeepsTheLastOfEditsThatMerge) {
  Kept k;
  ASSERT_TRUE(k.edit("a"));
  ASSERT_TRUE(k.has_files(1));
  for (int x = 1; x <= 3; ++x) ASSERT_TRUE(k.document.push("Move", {MoveNode{"a", 10.0 * x, 0}}, 1));
  const QString file = QDir(k.folder.path()).filePath(files(k.folder).first());
  EXPECT_TRUE(wait_for([&] {
    QFile kept(file);
    return kept.open(QIODevice::ReadOnly) && kept.readAll().contains(R"(\"at\": [30, 0])");
  }));
}

TEST(Autosave, DropsWhatIsSavedAndWhatIsGivenUp) {
  Kept k;
  ASSERT_TRUE(k.edit("a"));
  ASSERT_TRUE(k.has_files(1));
  ASSERT_TRUE(k.document.saveAs(QUrl::fromLocalFile(k.folder.filePath("a.halfwire"))));
  EXPECT_TRUE(k.has_files(0));
  ASSERT_TRUE(k.edit("b"));
  ASSERT_TRUE(k.has_files(1));
  k.autosave.forget();
  EXPECT_TRUE(k.has_files(0));
  k.document.weights()->set(std::make_shared<const std::map<std::string, Tensor>>(
      std::map<std::string, Tensor>{{"w", Tensor::zeros(DType::f32, {1})}}));
  QCoreApplication::processEvents();
  EXPECT_FALSE(wait_for([&] { return !files(k.folder).isEmpty(); }, 2 * Autosave::kKeepMs)) << "of a run that ends";
  ASSERT_TRUE(k.edit("c"));
  EXPECT_TRUE(k.has_files(1)) << "a new edit is kept";
}

TEST(Recovery, KeepsGraphAndWeightsOfOneMoment) {
  const QTemporaryDir folder;
  {
    Recovery recovery(folder.path());
    const UnsavedGraph unsaved = kept_learner(recovery);
    ASSERT_EQ(weight_files(folder).size(), 1);
    const QString first = weight_files(folder).first();
    recovery.keep(unsaved, {true, {}});
    recovery.wait();
    EXPECT_EQ(weight_files(folder), QStringList{first}) << "the same weights are not written again";
    recovery.keep(unsaved, {true, LearntWeights{learner(), weights_of("p.value", 2), {}, false}});
    recovery.wait();
    EXPECT_EQ(weight_files(folder).size(), 1) << "those from before go";
    EXPECT_NE(weight_files(folder).first(), first) << "and are not overwritten: a crash leaves one whole pair";
    // A program that ends between the two files leaves weights that no graph names.
    ASSERT_TRUE(
        QFile::copy(folder.filePath(weight_files(folder).first()), folder.filePath(unsaved.kept + ".99.safetensors")));
  }
  Recovery next(folder.path());
  const std::vector<UnsavedGraph> taken = next.take();
  ASSERT_EQ(taken.size(), 1u);
  EXPECT_EQ(taken[0].learnt, UnsavedGraph::Learnt::kept);
  EXPECT_EQ(weight_files(folder), QStringList{QFileInfo(taken[0].weights).fileName()}) << "orphans are removed";
  Recovery third(folder.path());
  EXPECT_TRUE(third.take().empty());
  EXPECT_EQ(weight_files(folder).size(), 1) << "what another program has taken is named by its graph";
  next.drop(taken[0].kept);
  next.wait();
  EXPECT_TRUE(weight_files(folder).isEmpty());
}

TEST(Recovery, KeepsTheWeightsOfADamagedGraph) {
  const QTemporaryDir folder;
  {
    Recovery recovery(folder.path());
    (void)kept_learner(recovery);
  }
  QFile cut(folder.filePath(files(folder).first()));
  ASSERT_TRUE(cut.resize(cut.size() / 2));
  Recovery next(folder.path());
  EXPECT_TRUE(next.take().empty());
  EXPECT_EQ(weight_files(folder).size(), 1) << "the user may still need them";
}

TEST(Recovery, SaysThatWeightsCouldNotBeKept) {
  const QTemporaryDir folder;
  Recovery recovery(folder.path());
  UnsavedGraph unsaved;
  unsaved.graph = learner();
  unsaved.kept = recovery.freshName();
  ASSERT_TRUE(QDir(folder.path()).mkdir(unsaved.kept + ".1.safetensors"));  // in the way
  int said = 0;
  QObject::connect(&recovery, &Recovery::failed, &recovery, [&] { ++said; });
  recovery.keep(unsaved, {true, LearntWeights{learner(), weights_of("p.value", 1), {}, false}});
  recovery.wait();
  EXPECT_TRUE(wait_for([&] { return said == 1; }));
  QFile kept(folder.filePath(unsaved.kept + ".unsaved.json"));
  ASSERT_TRUE(kept.open(QIODevice::ReadOnly)) << "the graph is kept all the same";
  EXPECT_TRUE(kept.readAll().contains("\"weights_lost\": true"));
}

TEST(Autosave, BringsBackWhatWasLearntAndNotSaved) {
  Kept k;
  ASSERT_TRUE(k.document.push("Add", {AddNode{node("p", "parameter", {{"shape", std::vector<double>{2}}})}}));
  const QString path = k.folder.filePath("a.halfwire");
  ASSERT_TRUE(k.document.saveAs(QUrl::fromLocalFile(path)));
  ASSERT_TRUE(k.has_files(0));
  const auto learnt = weights_of("p.value", 3);
  k.document.weights()->set(learnt);  // trained, not edited
  ASSERT_TRUE(k.has_files(1)) << "it is kept";
  ASSERT_TRUE(wait_for([&] { return k.recovery.wait(), weight_files(k.folder).size() == 1; }));
  // What another start would find.
  const QTemporaryDir other;
  for (const QString& name : files(k.folder) + weight_files(k.folder))
    ASSERT_TRUE(QFile::copy(k.folder.filePath(name), other.filePath(name)));
  Recovery recovery(other.path());
  std::vector<UnsavedGraph> taken = recovery.take();
  ASSERT_EQ(taken.size(), 1u);
  ASSERT_EQ(taken[0].learnt, UnsavedGraph::Learnt::kept);
  Document document;
  Autosave autosave(document, recovery);
  autosave.restore(taken[0]);
  ASSERT_TRUE(wait_for([&] { return document.weights()->tensors() != nullptr; }));
  EXPECT_EQ(document.weights()->tensors()->at("p.value").to_f64(), learnt->at("p.value").to_f64());
  EXPECT_TRUE(document.weights()->modified());
  EXPECT_TRUE(wait_for([&] { return recovery.wait(), weight_files(other).size() == 1; }));
  ASSERT_TRUE(document.save());
  ASSERT_TRUE(document.weights()->written());
  const auto saved = read_weights(k.folder.filePath("a.safetensors").toStdString());
  ASSERT_TRUE(saved);
  EXPECT_EQ(saved->tensors.at("p.value").to_f64(), learnt->at("p.value").to_f64());
  EXPECT_TRUE(wait_for([&] { return recovery.wait(), files(other).isEmpty() && weight_files(other).isEmpty(); }))
      << "saved: nothing is kept";
}

TEST(Autosave, KeepsWhatALaterEditFindsLearnt) {
  Kept k;
  ASSERT_TRUE(k.document.push("Add", {AddNode{node("p", "parameter", {{"shape", std::vector<double>{2}}})}}));
  k.document.weights()->set(weights_of("p.value", 1));
  ASSERT_TRUE(wait_for([&] { return k.recovery.wait(), weight_files(k.folder).size() == 1; }));
  const QString first = weight_files(k.folder).first();
  ASSERT_TRUE(k.edit("a"));
  QFile json(k.folder.filePath(files(k.folder).first()));
  ASSERT_TRUE(wait_for([&] {
    QFile kept(json.fileName());
    return kept.open(QIODevice::ReadOnly) && kept.readAll().contains(R"(\"id\": \"a\")");
  }));
  EXPECT_EQ(weight_files(k.folder), QStringList{first}) << "the same weights, not written again";
  k.document.weights()->set(weights_of("p.value", 2));
  EXPECT_TRUE(wait_for([&] {
    return k.recovery.wait(), weight_files(k.folder).size() == 1 && weight_files(k.folder).first() != first;
  }));
}

TEST(Autosave, KeepsTheEditOfTheLastMoment) {
  const QTemporaryDir folder;
  Recovery recovery(folder.path());
  Document document;
  {
    const Autosave autosave(document, recovery);
    ASSERT_TRUE(document.push("Add", {AddNode{node("a", "relu")}}));
  }
  recovery.wait();
  EXPECT_EQ(files(folder).size(), 1);
}

TEST(Autosave, RestoresAsUnsavedChangesOfTheFile) {
  Kept k;
  const QString path = k.folder.filePath("a.halfwire");
  ASSERT_TRUE(save_graph(graph_with("a"), path.toStdString()));
  Document before;
  ASSERT_TRUE(before.load(QUrl::fromLocalFile(path)));
  const UnsavedGraph unsaved{graph_with("b"),       path, before.file().stamp(), "a", QDateTime::currentDateTime(),
                             k.recovery.freshName()};
  k.recovery.keep(unsaved);
  k.autosave.restore(unsaved);
  k.recovery.wait();
  EXPECT_EQ(files(k.folder).size(), 1) << "kept all the while";
  EXPECT_EQ(k.document.graph(), graph_with("b"));
  EXPECT_EQ(k.document.path(), path);
  EXPECT_TRUE(k.document.modified());
  EXPECT_FALSE(k.document.canUndo());
  EXPECT_FALSE(k.document.changedOutside());
  ASSERT_TRUE(save_graph(graph_with("another"), path.toStdString()));
  EXPECT_TRUE(k.document.changedOutside()) << "by another program, since the changes were made";
  ASSERT_TRUE(k.document.save());
  EXPECT_FALSE(k.document.modified());
  EXPECT_EQ(*read_graph(path.toStdString()), graph_with("b"));
}

}  // namespace
}  // namespace hw::app::testing
