// What passes make of nodes, on the cards that stand for them.
#include "app/models/graph/pass_marks.h"

#include <gtest/gtest.h>

#include "app/document/document_assets.h"
#include "app/models/graph/graph_model.h"
#include "engine/field/pass_trace.h"
#include "tests/app/support.h"

namespace hw::app::testing {
namespace {

/// Pictures → conv → norm → view.
Edits network() {
  return {AddNode{node("x", "random", {{"shape", std::vector<double>{4, 2, 9, 8}}, {"axes", std::string("N C H W")}})},
          AddNode{node("conv", "conv2d", {{"out_channels", int64_t{3}}})},
          AddNode{node("norm", "batch_norm")},
          AddNode{node("view", "tensor_view")},
          AddLink{{"x", "y", "conv", "x"}},
          AddLink{{"conv", "y", "norm", "x"}},
          AddLink{{"norm", "y", "view", "x"}}};
}

struct Marked {
  Document d;
  GraphModel graph{d};
  PassMarks marks{d, assets_of(d), QStringLiteral("cpu")};
  Marked() {
    QObject::connect(&marks, &PassMarks::changed, &graph, [this] { graph.setPasses(marks.texts()); });
  }
  QString text(const char* id) const {
    return graph.data(graph.index(graph.rowOf(QLatin1String(id))), GraphModel::PassesRole).toString();
  }
  bool becomes(const char* id, bool marked) {
    return wait_for([&] { return text(id).isEmpty() != marked; });
  }
};

TEST(PassMarks, FollowTheGraphAndTheDevice) {
  Marked m;
  ASSERT_TRUE(m.d.push("Fill", network()));
  ASSERT_TRUE(m.becomes("norm", true));
  EXPECT_TRUE(m.text("norm").contains("norm is computed in conv")) << m.text("norm").toStdString();
  EXPECT_EQ(m.text("conv"), "");
  m.marks.setDevice(QStringLiteral("ref"));
  EXPECT_TRUE(m.becomes("norm", false)) << "the reference computes what is declared";
  m.marks.setDevice(QStringLiteral("cpu"));
  EXPECT_TRUE(m.becomes("norm", true));
  ASSERT_TRUE(m.d.push("See", {AddNode{node("see", "tensor_view")}, AddLink{{"conv", "y", "see", "x"}}}));
  EXPECT_TRUE(m.becomes("norm", false)) << "what a viewer shows is computed";
  m.d.undo();
  EXPECT_TRUE(m.becomes("norm", true));
  Node pinned = *m.d.graph().find("norm");
  pinned.device = "cuda:7";
  ASSERT_TRUE(m.d.push("Pin", {RemoveNode{"norm"}, AddNode{pinned}, AddLink{{"conv", "y", "norm", "x"}},
                               AddLink{{"norm", "y", "view", "x"}}}));
  ASSERT_TRUE(m.becomes("norm", true)) << "this machine lacks that device, so evaluation takes the graph's";
  ASSERT_TRUE(m.d.push("Break", {RemoveLink{{"x", "y", "conv", "x"}}}));
  EXPECT_TRUE(m.becomes("norm", false)) << "nothing runs behind an error";
  m.d.undo();
  EXPECT_TRUE(m.becomes("norm", true));
  m.d.newDocument();
  EXPECT_TRUE(m.marks.texts().isEmpty());
}

TEST(PassMarks, StandOnTheCardOfAGroup) {
  Marked m;
  Group group{"block", "Block", {}, {}, ""};
  for (const char* type : {"input", "output", "batch_norm", "conv2d"}) group.graph.add_node(node(type, type));
  group.graph.add_link({"input", "y", "conv2d", "x"});
  group.graph.add_link({"conv2d", "y", "batch_norm", "x"});
  group.graph.add_link({"batch_norm", "y", "output", "x"});
  Edits edits = network();
  edits.insert(edits.begin(), SetGroup{group});
  edits.push_back(RemoveLink{{"norm", "y", "view", "x"}});
  edits.push_back(AddNode{node("g", "group:block")});
  edits.push_back(AddLink{{"norm", "y", "g", "input"}});
  edits.push_back(AddLink{{"g", "output", "view", "x"}});
  ASSERT_TRUE(m.d.push("Fill", edits));
  ASSERT_TRUE(m.becomes("g", true));
  EXPECT_TRUE(m.text("g").contains("g/batch_norm is computed in g/conv2d")) << m.text("g").toStdString();
  EXPECT_TRUE(m.text("norm").contains("norm is computed in conv")) << m.text("norm").toStdString();
}

TEST(PassMarks, TakeGraphsWithErrors) {
  Marked m;
  Edits edits = network();
  // A mesh's wire has its type even where the mesh has none.
  edits.push_back(AddNode{node("mesh", "transform_mesh")});
  edits.push_back(AddNode{node("points", "surface_sampler")});
  edits.push_back(AddNode{node("see", "tensor_view")});
  edits.push_back(AddLink{{"mesh", "mesh", "points", "mesh"}});
  edits.push_back(AddLink{{"points", "position", "see", "x"}});
  ASSERT_TRUE(m.d.push("Fill", edits));
  EXPECT_TRUE(m.d.validator().output_type("points", "position"));
  EXPECT_TRUE(m.becomes("norm", true)) << "nothing is wrong behind its view";

  Graph graph = m.d.graph();
  graph.add_link({"norm", "y", "gone", "x"});
  Validator validator;
  validator.reset(graph);
  EXPECT_TRUE(sink_wires(graph, validator).empty()) << "such a wire is an error of the node that it leaves";
}

}  // namespace
}  // namespace hw::app::testing
