// A graph is opened, changed and checked; what is wrong comes back as errors and notes.
#include "app/workspace/open_graph.h"

#include <gmock/gmock.h>

#include "engine/io/graph/graph_file.h"
#include "tests/engine/group_graphs.h"
#include "tests/workspace/quiet.h"

namespace hw::workspace {
namespace {

using ::testing::Contains;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

class WorkspaceOpen : public test::Quiet {};

TEST_F(WorkspaceOpen, AnExampleIsReadyToTrain) {
  const auto open = open_trainable({HALFWIRE_EXAMPLES "/sine.halfwire", {"mlp.hidden_layers=1"}, {}},
                                   {.device = "cpu", .seed = 7}, notes_);
  ASSERT_TRUE(open) << open.error().text();
  EXPECT_EQ(open->trainer, "train");
  EXPECT_FALSE(open->stands_in);
  EXPECT_EQ(std::get<int64_t>(open->graph.find("mlp")->params.at("hidden_layers")), 1);
  EXPECT_EQ(std::get<int64_t>(open->graph.find("train")->params.at("seed")), 7);
  EXPECT_FALSE(open->document.find("mlp")->params == open->graph.find("mlp")->params) << "as in the file";
  EXPECT_THAT(notes_, IsEmpty());
}

TEST_F(WorkspaceOpen, SetsReachWhatAGroupPromotes) {
  const std::string file = (folder_ / "g.halfwire").string();
  ASSERT_TRUE(save_graph(test::grouped(), file));
  const auto open = open_graph({file, {"two.width=4"}, {}, {"one=cpu"}}, notes_);
  ASSERT_TRUE(open) << open.error().text();
  EXPECT_EQ(std::get<int64_t>(open->graph.find("two/b/second/linear")->params.at("out_features")), 4);
  EXPECT_EQ(open->graph.find("one/a/first/linear")->device, "cpu");
  EXPECT_EQ(open->graph.find("two/a/first/linear")->device, "");

  const auto unknown = open_graph({.graph = file, .sets = {"two.height=4"}, .option_names = {.set = "--set"}}, notes_);
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, codes::unknown_parameter);
  EXPECT_EQ(unknown.error().where, "--set two.height");
  EXPECT_EQ(unknown.error().remedy, "It promotes width.");
  EXPECT_THAT(notes_, IsEmpty());
}

/// To a program that has no options none is named.
TEST_F(WorkspaceOpen, OptionsAreNamedAsTheCallerNamesThem) {
  const std::string file = (folder_ / "g.halfwire").string();
  ASSERT_TRUE(save_graph(test::grouped(), file));
  const auto set = open_graph({.graph = file, .sets = {"two"}}, notes_);
  ASSERT_FALSE(set);
  EXPECT_EQ(set.error().where, "two");
  EXPECT_EQ(set.error().remedy, "For example: train.learning_rate=0.001");
  const auto pin = open_graph({.graph = file, .pins = {"one=abacus"}, .option_names = {.pin = "--pin"}}, notes_);
  ASSERT_FALSE(pin);
  EXPECT_EQ(pin.error().where, "--pin one=abacus");

  const auto open = open_graph({.graph = file}, notes_);
  ASSERT_TRUE(open) << open.error().text();
  const auto output = find_output(open->graph, "nowhere", "--output");
  ASSERT_FALSE(output);
  EXPECT_EQ(output.error().where, "--output nowhere");
  EXPECT_EQ(find_output(open->graph, "nowhere", "").error().where, "nowhere");
}

TEST_F(WorkspaceOpen, EveryDiagnosticThatBlocksIsANoteAndTheFirstIsTheError) {
  const std::string file = written("g.halfwire", R"({"halfwire": 1, "nodes": [
    {"id": "a", "type": "relu"}, {"id": "b", "type": "relu"}, {"id": "loss", "type": "mse"},
    {"id": "train", "type": "train"}],
    "links": [["a.y", "loss.prediction"], ["b.y", "loss.target"], ["loss.loss", "train.loss"]]})");
  const auto open = open_trainable({.graph = file}, {}, notes_);
  ASSERT_FALSE(open);
  ASSERT_FALSE(notes_.empty());
  for (const Note& note : notes_) {
    EXPECT_EQ(note.kind, Note::Kind::diagnostic);
    ASSERT_TRUE(note.diagnostic);
  }
  EXPECT_THAT(test::texts(notes_), Contains(StartsWith("HW-G001 at a.x: ")));
  EXPECT_THAT(test::texts(notes_), Contains(StartsWith("HW-G001 at b.x: ")));
  EXPECT_EQ(open.error().code, codes::missing_input);
  EXPECT_EQ(open.error().where, "a.x");
  EXPECT_EQ(open.error().reason, notes_.front().diagnostic->reason);
  EXPECT_TRUE(is_among(notes_, open.error()));
  EXPECT_FALSE(is_among(notes_, Error{codes::missing_input, "c.x", open.error().reason, ""}));
}

TEST_F(WorkspaceOpen, ALossThatStandsInIsNoted) {
  const std::string file = written("g.halfwire", R"({"halfwire": 1, "nodes": [
    {"id": "x", "type": "input", "params": {"shape": [4, 3]}},
    {"id": "layer", "type": "linear", "params": {"out_features": 2}}, {"id": "y", "type": "output"}],
    "links": [["x.y", "layer.x"], ["layer.y", "y.x"]]})");
  const auto refused = open_trainable({.graph = file}, {}, notes_);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, codes::no_trainer);
  EXPECT_THAT(notes_, IsEmpty());
  const auto open = open_trainable({.graph = file}, {.checks = true}, notes_);
  ASSERT_TRUE(open) << open.error().text();
  EXPECT_TRUE(open->stands_in);
  ASSERT_EQ(notes_.size(), 1u);
  EXPECT_EQ(notes_.front().kind, Note::Kind::note);
  EXPECT_THAT(notes_.front().text, HasSubstr("stands in for a loss"));
}

TEST_F(WorkspaceOpen, ADeviceThatIsNotThereIsAnError) {
  const auto open =
      open_trainable({.graph = HALFWIRE_EXAMPLES "/sine.halfwire", .option_names = {.device = "--device"}},
                     {.device = "abacus"}, notes_);
  ASSERT_FALSE(open);
  EXPECT_EQ(open.error().code, codes::bad_usage);
  EXPECT_EQ(open.error().where, "--device abacus");
}

TEST_F(WorkspaceOpen, WhatIsSavedElsewhereSaysWhatStays) {
  const std::string file = written("g.halfwire", R"({"halfwire": 1, "nodes": [
    {"id": "picture", "type": "image_source", "params": {"path": "p.png"}}], "links": []})");
  written("p.png", "");
  std::filesystem::create_directory(folder_ / "out");
  auto document = read_document(file);
  ASSERT_TRUE(document) << document.error().text();
  const std::string saved = (folder_ / "out/g.halfwire").string();
  ASSERT_TRUE(save_document(*document, file, saved, {.set = "--set", .allow = "--allow-path"}, notes_));
  ASSERT_TRUE(save_document(*document, file, saved, {}, notes_));
  ASSERT_EQ(notes_.size(), 2u);
  EXPECT_THAT(notes_.front().text, HasSubstr("lies outside the folder of " + saved));
  EXPECT_THAT(notes_.front().text, HasSubstr("reading it needs --allow-path, and it does not travel with the graph"));
  EXPECT_THAT(notes_.front().text, EndsWith("copy it there and name it by --set"));
  EXPECT_THAT(notes_.back().text, Not(HasSubstr("--")));
  EXPECT_EQ(read_document("model.onnx").error().code, codes::file_syntax);
}

}  // namespace
}  // namespace hw::workspace
