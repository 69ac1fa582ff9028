// Nodes that stand for operators of another tool: what Problems and the inspector say of them.
#include <gmock/gmock.h>

#include "app/models/inspector/inspector_model.h"
#include "app/models/problems/problems_model.h"
#include "tests/app/support.h"

namespace hw::app::testing {
namespace {

using ::testing::HasSubstr;

std::string reason(const ProblemsModel& model, int row) {
  return model.data(model.index(row), ProblemsModel::ReasonRole).toString().toStdString();
}

struct Foreign {
  Document document;
  Foreign() {
    for (const char* id : {"a", "b", "c"})
      EXPECT_TRUE(document.push("Fill", {AddNode{node(id, "onnx:NonZero", {{"reason", std::string("it depends.")}})}}));
    EXPECT_TRUE(document.push("Fill", {AddNode{node("odd", "no_such_type")}}));
  }
};

TEST(ForeignNodes, AreOneProblemAnOperator) {
  Foreign f;
  ProblemsModel model(f.document);
  ASSERT_EQ(model.count(), 2);
  EXPECT_EQ(model.errors(), 2);
  EXPECT_THAT(reason(model, 0), HasSubstr("It and 2 more nodes stand for the ONNX operator NonZero"));
}

TEST(ForeignNodes, NotesOfTheModelStandLast) {
  Foreign f;
  ProblemsModel model(f.document);
  model.setNotes({"w is frozen.", "x has two names."});
  ASSERT_EQ(model.count(), 4);
  EXPECT_EQ(model.data(model.index(3), ProblemsModel::SeverityRole), "info");
  EXPECT_EQ(reason(model, 3), "X has two names.");
  EXPECT_EQ(model.errors(), 2);
  f.document.restore(Graph{}, {}, "another", {});
  EXPECT_EQ(model.count(), 0) << "another file was read";
}

TEST(ForeignNodes, TheInspectorSaysWhyOneIsNotRead) {
  Foreign f;
  InspectorModel inspector(f.document);
  f.document.selectNode("b");
  EXPECT_FALSE(inspector.known());
  EXPECT_EQ(
      inspector.unknownText(),
      "It stands for the ONNX operator NonZero, which is not read: it depends. Its wires are kept, and saved again.");
  f.document.selectNode("odd");
  EXPECT_THAT(inspector.unknownText().toStdString(), HasSubstr("does not know the node type “no_such_type”"));
}

}  // namespace
}  // namespace hw::app::testing
