// A document's graph asks before it reads outside its folder; what the user chooses needs no question.
#include <gmock/gmock.h>

#include <QDir>
#include <QSignalSpy>

#include "app/document/document_assets.h"
#include "app/models/inspector/inspector_model.h"
#include "app/models/problems/asset_watch.h"
#include "app/models/problems/problems_model.h"
#include "engine/graph/edit.h"
#include "engine/io/graph/graph_file.h"
#include "support.h"
#include "tests/engine/io_temp.h"

namespace hw::app::reach_test {
namespace {

namespace fs = std::filesystem;
using hw::test::TempFolder;
using hw::test::write_bytes;
using testing::wait_for;

constexpr char kTriangle[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";

class DocumentReach : public ::testing::Test {
 protected:
  DocumentReach() {
    fs::create_directories(folder_ / "graph");
    write_bytes(folder_ / "out.obj", kTriangle);
    out_ = QString::fromStdString(fs::canonical(folder_ / "out.obj").string());
    QObject::connect(&watch_, &AssetWatch::problemsChanged, &problems_,
                     [this] { problems_.setFindings(watch_.problems()); });
  }
  /// Opens a graph whose mesh is this file.
  void open(const std::string& mesh) {
    Graph graph;
    ASSERT_TRUE(apply_edits(graph, {AddNode{testing::node("mesh", "mesh_source", {{"path", mesh}})}}));
    const fs::path file = folder_ / "graph/g.halfwire";
    ASSERT_TRUE(save_graph(graph, file));
    ASSERT_TRUE(document_.load(QUrl::fromLocalFile(QString::fromStdString(file.string()))));
  }
  int refused() const {
    int rows = 0;
    for (const Diagnostic& d : watch_.problems()) rows += d.code == codes::asset_refused;
    return rows;
  }
  TempFolder folder_;
  QString out_;
  Document document_;
  std::shared_ptr<DocumentAssets> assets_ = assets_of(document_);
  AssetWatch watch_{document_, assets_};
  ProblemsModel problems_{document_};
};

TEST_F(DocumentReach, AsksOnceByNameAndRemembersTheAnswer) {
  QSignalSpy asked(&problems_, &ProblemsModel::readingAsked);
  open("../out.obj");
  ASSERT_TRUE(wait_for([&] { return asked.count() > 0; }));
  EXPECT_EQ(asked.first().first().toStringList(), QStringList{out_});
  EXPECT_FALSE(assets_->mesh("../out.obj")) << "not read before the answer";
  problems_.allowReading({out_});
  EXPECT_TRUE(wait_for([&] { return refused() == 0; }));
  EXPECT_TRUE(assets_->mesh("../out.obj"));
  EXPECT_EQ(asked.count(), 1);
  EXPECT_EQ(document_.file().allowed(), QStringList{out_});
  open("../out.obj");
  EXPECT_TRUE(document_.file().allowed().isEmpty()) << "opened anew: asked anew";
  EXPECT_TRUE(wait_for([&] { return asked.count() == 2; }));
}

TEST_F(DocumentReach, AllowsOnlyWhatTheQuestionNames) {
  QSignalSpy asked(&problems_, &ProblemsModel::readingAsked);
  open("../out.obj");
  ASSERT_TRUE(wait_for([&] { return asked.count() > 0; }));
  // Declined; what another question names is another file.
  problems_.allowReading({out_ + QStringLiteral(".mtl")});
  EXPECT_TRUE(document_.file().allowed().isEmpty());
  EXPECT_EQ(refused(), 1);
}

TEST_F(DocumentReach, TheRemedyInTheListAllowsIt) {
  open("../out.obj");
  ASSERT_TRUE(wait_for([&] { return refused() == 1; }));
  ASSERT_TRUE(wait_for([&] { return problems_.count() > 0; }));
  problems_.apply(0, 0);
  EXPECT_TRUE(wait_for([&] { return refused() == 0; }));
}

TEST_F(DocumentReach, WhatAPersonChoosesNeedsNoQuestion) {
  open("none.obj");
  QSignalSpy asked(&problems_, &ProblemsModel::readingAsked);
  InspectorModel inspector(document_);
  document_.selectNode(QStringLiteral("mesh"));
  EXPECT_EQ(inspector.setText(QStringLiteral("path"), inspector.pathFor(QUrl::fromLocalFile(out_))), QString());
  EXPECT_TRUE(assets_->mesh(out_.toStdString()));
  EXPECT_TRUE(wait_for([&] { return !watch_.busy() && watch_.problems().empty(); }));
  EXPECT_EQ(asked.count(), 0);
}

TEST_F(DocumentReach, WeightsThroughALinkAreAskedFor) {
  open("none.obj");
  write_bytes(folder_ / "w.safetensors", "");
  fs::create_symlink(folder_ / "w.safetensors", folder_ / "graph/g.safetensors");
  open("none.obj");
  ASSERT_EQ(document_.weights()->problems().size(), 1u);
  EXPECT_EQ(document_.weights()->problems()[0].code, codes::asset_refused);
  EXPECT_EQ(document_.weights()->problems()[0].got, fs::canonical(folder_ / "w.safetensors").string());
  testing::Refusals refusals(document_);
  document_.allow(QString::fromStdString(document_.weights()->problems()[0].got));
  EXPECT_TRUE(wait_for([&] { return refusals.count > 0; })) << "it was read, and is no weights file";
  EXPECT_NE(refusals.code, QString(codes::asset_refused));
}

TEST_F(DocumentReach, AnOptimisersStateThroughALinkIsAskedFor) {
  open("none.obj");
  write_bytes(folder_ / "graph/g.safetensors", "");
  write_bytes(folder_ / "s.safetensors", "");
  fs::create_symlink(folder_ / "s.safetensors", folder_ / "graph/g.optimiser.safetensors");
  open("none.obj");
  ASSERT_EQ(document_.weights()->problems().size(), 1u);
  EXPECT_EQ(document_.weights()->problems()[0].code, codes::asset_refused);
  EXPECT_EQ(document_.weights()->problems()[0].got, fs::canonical(folder_ / "s.safetensors").string());
}

TEST_F(DocumentReach, SaveAsIntoAnotherFolderReachesTheSameFile) {
  fs::create_directories(folder_ / "graph/inside");
  fs::create_directories(folder_ / "deeper/still");
  write_bytes(folder_ / "graph/inside/in.obj", kTriangle);
  open("inside/in.obj");
  QStringList said;
  QObject::connect(&document_, &Document::explained, &document_,
                   [&](const QString&, const QStringList& lines) { said << lines; });
  const auto path = [&] { return std::get<std::string>(document_.graph().find("mesh")->params.at("path")); };
  const auto save_as = [&](const char* file) {
    return document_.saveAs(QUrl::fromLocalFile(QString::fromStdString((folder_ / file).string())));
  };
  ASSERT_TRUE(save_as("deeper/still/g.halfwire"));
  EXPECT_EQ(path(), "../../graph/inside/in.obj");
  EXPECT_TRUE(assets_->mesh(path())) << "it was read before, without a question";
  ASSERT_EQ(said.size(), 1);
  EXPECT_TRUE(said.first().contains("lies outside the graph's folder"));
  EXPECT_FALSE(document_.modified());
  const auto written = read_graph(folder_ / "deeper/still/g.halfwire");
  ASSERT_TRUE(written);
  EXPECT_TRUE(*written == document_.graph());

  ASSERT_TRUE(save_as("graph/h.halfwire"));
  EXPECT_EQ(path(), "inside/in.obj") << "below the graph again";
  EXPECT_EQ(said.size(), 1) << "nothing to say";
  document_.undo();
  EXPECT_TRUE(document_.modified());
  document_.undo();
  EXPECT_EQ(path(), "inside/in.obj") << "each move is a step of its own";
  EXPECT_FALSE(document_.canUndo());
}

TEST_F(DocumentReach, SaveAsThatFailsChangesNothing) {
  write_bytes(folder_ / "graph/in.obj", kTriangle);
  open("in.obj");
  const Graph before = document_.graph();
  EXPECT_FALSE(document_.saveAs(QUrl::fromLocalFile("/nowhere/else/g.halfwire")));
  EXPECT_TRUE(document_.graph() == before);
  EXPECT_FALSE(document_.canUndo());
  EXPECT_FALSE(document_.modified());
}

TEST_F(DocumentReach, AChosenFileOutsideTheFolderIsSaidWithWhatToDo) {
  open("");
  InspectorModel inspector(document_);
  document_.selectNode("mesh");
  QStringList said;
  QObject::connect(&document_, &Document::explained, &document_,
                   [&](const QString&, const QStringList& lines) { said << lines; });
  EXPECT_EQ(inspector.setText("path", inspector.pathFor(QUrl::fromLocalFile(out_))), QString());
  ASSERT_EQ(said.size(), 1);
  EXPECT_TRUE(said.first().contains("outside the graph's folder") && said.first().contains("copy it below"));
  fs::create_directories(folder_ / "graph/below");
  write_bytes(folder_ / "graph/below/in.obj", kTriangle);
  const QString below = QString::fromStdString((folder_ / "graph/below/in.obj").string());
  EXPECT_EQ(inspector.pathFor(QUrl::fromLocalFile(below)), "below/in.obj");
  EXPECT_EQ(inspector.setText("path", "below/in.obj"), QString());
  EXPECT_EQ(said.size(), 1);
}

}  // namespace
}  // namespace hw::app::reach_test
