// The copied command: what differs from the file, quoted for a shell; and why there is none.
#include "app/models/run/command_line.h"

#include <gtest/gtest.h>

#include "engine/core/codes.h"
#include "tests/app/support.h"

namespace hw::app::testing {
namespace {

struct CommandLine : ::testing::Test {
  CommandLine() {
    EXPECT_TRUE(document.push("add", {AddNode{node("c", "constant")}, AddNode{node("m", "mlp")},
                                      AddNode{node("t", "train", {{"steps", int64_t{7}}})}}));
  }
  QString path() { return folder.filePath("it's a net.halfwire"); }
  QTemporaryDir folder;
  Document document;
};

TEST_F(CommandLine, NeedsAFileWithTheSameGraph) {
  const auto without = train_command(document, "cpu");
  ASSERT_FALSE(without);
  EXPECT_EQ(without.error().code, codes::file_unreadable);
  ASSERT_TRUE(document.saveAs(QUrl::fromLocalFile(path())));
  EXPECT_TRUE(train_command(document, "cpu"));
  ASSERT_TRUE(document.push("add", {AddNode{node("r", "relu")}}));
  const auto other = train_command(document, "cpu");
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().remedy, "Save it first.");
}

TEST_F(CommandLine, NeedsTheFileToSayWhatNoOptionSets) {
  ASSERT_TRUE(document.saveAs(QUrl::fromLocalFile(path())));
  const Edit unsaved[] = {SetFrozen{"m", true}, SetFlags{"m", false, true}};
  for (const Edit& edit : unsaved) {
    ASSERT_TRUE(document.push("change", {edit}));
    EXPECT_FALSE(train_command(document, "cpu"));
    document.undo();
    EXPECT_TRUE(train_command(document, "cpu"));
  }
  ASSERT_TRUE(document.push("move", {MoveNode{"m", 5, 5}, SetLabel{"m", "Net"}}));
  EXPECT_TRUE(train_command(document, "cpu"));
}

TEST_F(CommandLine, SetsWhatDiffersFromTheFile) {
  ASSERT_TRUE(document.saveAs(QUrl::fromLocalFile(path())));
  const auto plain = train_command(document, "cpu");
  ASSERT_TRUE(plain);
  EXPECT_TRUE(plain->startsWith("halfwire-cli train '")) << plain->toStdString();
  EXPECT_TRUE(plain->endsWith("it'\\''s a net.halfwire' --steps 7 --device cpu")) << plain->toStdString();
  ASSERT_TRUE(document.push("set", {SetParam{"m", "width", int64_t{48}}, SetParam{"t", "steps", int64_t{9}},
                                    SetParam{"t", "learning_rate", 0.1}}));
  const auto changed = train_command(document, "ref");
  ASSERT_TRUE(changed);
  EXPECT_TRUE(changed->endsWith(" --set m.width=48 --set t.learning_rate=0.1 --steps 9 --device ref"))
      << changed->toStdString();
}

TEST_F(CommandLine, PinsNodesThatTheFileDoesNot) {
  ASSERT_TRUE(document.saveAs(QUrl::fromLocalFile(path())));
  ASSERT_TRUE(document.push("pin", {SetDevice{"m", "ref"}}));
  const auto pinned = train_command(document, "cpu");
  ASSERT_TRUE(pinned);
  EXPECT_TRUE(pinned->endsWith(" --pin m=ref --steps 7 --device cpu")) << pinned->toStdString();
  ASSERT_TRUE(document.save());
  const auto saved = train_command(document, "cpu");
  ASSERT_TRUE(saved);
  EXPECT_FALSE(saved->contains("--pin")) << saved->toStdString();
  ASSERT_TRUE(document.push("no pin", {SetDevice{"m", ""}}));
  EXPECT_FALSE(train_command(document, "cpu")) << "no option takes a pin away";
}

TEST_F(CommandLine, LeavesWeightsThatTheDocumentDoesNotHave) {
  ASSERT_TRUE(document.saveAs(QUrl::fromLocalFile(path())));
  QFile beside(folder.filePath("it's a net.safetensors"));
  ASSERT_TRUE(beside.open(QIODevice::WriteOnly));
  const auto command = train_command(document, "cpu");
  ASSERT_TRUE(command);
  EXPECT_TRUE(command->endsWith(" --weights none")) << command->toStdString();
}

TEST_F(CommandLine, KnowsGroups) {
  Group layer{"layer", "", {}, {{"width", "", "linear", "out_features"}}, ""};
  layer.graph.add_node(node("x", "input"));
  layer.graph.add_node(node("linear", "linear"));
  layer.graph.add_link({"x", "y", "linear", "x"});
  ASSERT_TRUE(document.push("add", {SetGroup{layer}, AddNode{node("one", "group:layer")}}));
  ASSERT_TRUE(document.saveAs(QUrl::fromLocalFile(path())));
  ASSERT_TRUE(document.push("set", {SetParam{"one", "width", int64_t{48}}}));
  const auto wider = train_command(document, "cpu");
  ASSERT_TRUE(wider);
  EXPECT_TRUE(wider->contains("--set one/linear.out_features=48")) << wider->toStdString();
  layer.graph.add_node(node("relu", "relu"));
  ASSERT_TRUE(document.push("edit", {SetGroup{layer}}));
  const auto other = train_command(document, "cpu");
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().remedy, "Save it first.");
}

TEST(ParamText, IsReadBackAsItWas) {
  for (const auto& [id, type] : Registry::instance().all()) {
    for (const ParamDecl& param : type.decl.params()) {
      const auto back = parse_param(param, param_text(param.value));
      ASSERT_TRUE(back) << id << "." << param.id << ": " << back.error().text();
      EXPECT_EQ(*back, param.value) << id << "." << param.id;
    }
  }
}

}  // namespace
}  // namespace hw::app::testing
