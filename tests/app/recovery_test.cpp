// Unsaved changes outlive a program that is killed, and only what was not saved.
#include "app/document/recovery.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QDir>
#include <csignal>

#include "app/document/autosave.h"
#include "engine/io/graph_file.h"
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
  const UnsavedGraph unsaved{graph_with("b"),       path, before.fileStamp(), "a", QDateTime::currentDateTime(),
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
