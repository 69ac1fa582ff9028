// Edits: every kind can be undone, refused batches leave the graph as it was.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/graph/edit.h"
#include "engine/io/graph/graph_file.h"
#include "tests/engine/graph_builder.h"

namespace hw {
namespace {

using test::link;
using test::node;

TEST(GraphEdit, EveryEditIsUndoneExactly) {
  Frame frame{"f", "Encoder", 1, 2, 3, 4, "blue", std::nullopt, ""};
  const std::vector<Edits> batches = {
      {AddNode{node("relu", "relu")}},
      {RemoveNode{"mlp"}},
      {SetParam{"mlp", "width", ParamValue(int64_t{64})}},
      {SetLabel{"mlp", "Decoder"}},
      {MoveNode{"mlp", 10, -20}},
      {SetFlags{"mlp", true, true}},
      {SetPreview{"mlp", true}, SetPreview{"sigmoid", false}, SetPreview{"mlp", std::nullopt}},
      {SetFrozen{"mlp", true}},
      {SetTie{"mlp", "hash_grid"}},
      {SetDevice{"mlp", "cuda:0"}},
      {AddLink{link("normalise_aabb.y", "mse.prediction")}},
      {RemoveLink{link("mlp.y", "sigmoid.x")}},
      {SetFrame{frame}},
      {SetFrame{frame}, SetFrame{{"f", "Other", 0, 0, 1, 1, "", "Text", ""}}, RemoveFrame{"f"}},
      {RemoveNode{"hash_grid"}, RemoveNode{"surface_sampler"}, AddNode{node("hash_grid", "hash_grid")}},
  };
  for (const Edits& edits : batches) {
    Graph graph = test::neural_texture();
    const Graph before = graph;
    const auto undo = apply_edits(graph, edits);
    ASSERT_TRUE(undo) << undo.error().text();
    const Graph after = graph;
    undo_edits(graph, *undo);
    EXPECT_EQ(graph, before);
    ASSERT_TRUE(apply_edits(graph, edits));
    EXPECT_EQ(graph, after);
  }
}

TEST(GraphEdit, UndoOfANodeLeavesWhatWaitedForItsId) {
  Graph graph = test::neural_texture();
  graph.add_link(link("gone.y", "mse.prediction"));
  graph.node("mlp").tie = "gone";
  const Graph before = graph;
  const auto undo = apply_edits(graph, {AddNode{node("gone", "mlp")}});
  ASSERT_TRUE(undo);
  undo_edits(graph, *undo);
  EXPECT_EQ(graph, before);
}

TEST(GraphEdit, RefusedBatchLeavesTheGraphAsItWas) {
  struct Case {
    Edits edits;
    const char* code;
  };
  const Case cases[] = {
      {{RemoveNode{"mlp"}, RemoveNode{"nobody"}}, codes::unknown_node},
      {{AddNode{node("mlp", "mlp")}}, codes::unknown_node},
      {{AddNode{node("Not An Id", "mlp")}}, codes::unknown_node},
      {{SetParam{"mlp", "width", ParamValue(int64_t{0})}}, codes::bad_parameter},
      {{SetDevice{"mlp", "A GPU"}}, codes::bad_parameter},
      {{SetParam{"train", "learning_rate", ParamValue(std::nan(""))}}, codes::bad_parameter},
      {{SetParam{"mlp", "colour", ParamValue(int64_t{1})}}, codes::unknown_parameter},
      {{MoveNode{"mlp", 1, 1}, AddLink{link("mlp.nothing", "sigmoid.x")}}, codes::unknown_socket},
      {{RemoveLink{link("mlp.y", "train.loss")}}, codes::unknown_socket},
  };
  for (const Case& c : cases) {
    Graph graph = test::neural_texture();
    const Graph before = graph;
    const auto refused = apply_edits(graph, c.edits);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, c.code) << refused.error().text();
    EXPECT_EQ(graph, before);
  }
}

TEST(GraphEdit, UndoAndARefusedBatchBringBackWhatNoEditWouldMake) {
  const auto file = parse_graph(R"({"halfwire": 1, "nodes": [
    {"id": "a", "type": "abs"}, {"id": "b", "type": "neg"}, {"id": "m", "type": "mlp",
     "weights": {"none": {"dtype": "f16"}}},
    {"id": "train", "type": "train", "params": {"beta2": 16777216.0, "strange": 3}}],
    "links": [["a.y", "b.nowhere"], ["b.gone", "m.x"], ["a.y", "m.x"]]})",
                                "hostile.halfwire");
  ASSERT_TRUE(file) << file.error().text();
  const Edits first[] = {
      {RemoveLink{link("a.y", "b.nowhere")}, RemoveLink{link("b.gone", "m.x")}},
      {AddLink{link("b.y", "m.x")}},
      {SetParam{"train", "beta2", 0.9}},
      {SetWeight{"m", "none", std::nullopt}},
      {RemoveNode{"b"}},
      {RemoveNode{"m"}, RemoveNode{"train"}},
  };
  for (Edits edits : first) {
    Graph graph = *file;
    const auto undo = apply_edits(graph, edits);
    ASSERT_TRUE(undo) << undo.error().text();
    EXPECT_NE(write_graph(graph), write_graph(*file));
    undo_edits(graph, *undo);
    EXPECT_EQ(write_graph(graph), write_graph(*file));
    edits.push_back(AddNode{node("a", "abs")});  // the id is taken
    EXPECT_FALSE(apply_edits(graph, edits));
    EXPECT_EQ(write_graph(graph), write_graph(*file));
  }
}

TEST(GraphEdit, AnInputTakesOneWire) {
  Graph graph = test::neural_texture();
  ASSERT_TRUE(apply_edits(graph, {AddLink{link("cast.y", "sigmoid.x")}}));
  EXPECT_EQ(graph.links_into("sigmoid", "x"), std::vector<Link>{link("cast.y", "sigmoid.x")});
}

TEST(GraphEdit, DefaultsAreNotStored) {
  Graph graph = test::neural_texture();
  ASSERT_TRUE(apply_edits(graph, {SetParam{"mlp", "width", ParamValue(int64_t{64})}}));
  EXPECT_TRUE(graph.find("mlp")->params.contains("width"));
  ASSERT_TRUE(apply_edits(graph, {SetParam{"mlp", "width", ParamValue(int64_t{32})}}));
  EXPECT_FALSE(graph.find("mlp")->params.contains("width"));
}

}  // namespace
}  // namespace hw
