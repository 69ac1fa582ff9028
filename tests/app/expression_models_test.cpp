// Expression in the editor: the card's sockets follow the source, a source is judged while it is typed, the Jacobian is
// computed on request.
#include <gtest/gtest.h>

#include "app/document/document_assets.h"
#include "app/models/graph/graph_model.h"
#include "app/models/inspector/inspector_model.h"
#include "app/models/inspector/jacobian_model.h"
#include "app/models/run/run_model.h"
#include "tests/app/support.h"

namespace hw::app::testing::expression_models_test {
namespace {

/// Two random numbers a sample into "f".
void fill(Document& d, const std::string& source) {
  ASSERT_TRUE(
      d.push("Fill", {AddNode{node("r", "random", {{"shape", std::vector<double>{4, 2}}, {"axes", std::string()}})},
                      AddNode{node("f", "expression", {{"source", source}})}, AddLink{{"r", "y", "f", "p"}}}));
}

QStringList socket_ids(const GraphModel& graph, int role) {
  QStringList ids;
  for (const QVariant& s : graph.data(graph.index(graph.rowOf("f")), role).toList()) ids << s.toMap()["id"].toString();
  return ids;
}

TEST(ExpressionModels, TheCardFollowsTheSource) {
  Document d;
  fill(d, "in p: vec2; y = p.x");
  GraphModel graph(d);
  EXPECT_EQ(socket_ids(graph, GraphModel::InputsRole), QStringList{"p"});
  QStringList moved;
  QObject::connect(&graph, &GraphModel::geometryChanged, &graph, [&](const QStringList& ids) { moved << ids; });
  const double height = graph.data(graph.index(graph.rowOf("f")), GraphModel::CardHeightRole).toDouble();
  ASSERT_TRUE(d.push("Set", {SetParam{"f", "source", std::string("in p: vec2; in s; y = p.x*s; z = p; w = s > 0")}}));
  EXPECT_EQ(socket_ids(graph, GraphModel::InputsRole), (QStringList{"p", "s"}));
  EXPECT_EQ(socket_ids(graph, GraphModel::OutputsRole), (QStringList{"y", "z", "w"}));
  EXPECT_GT(graph.data(graph.index(graph.rowOf("f")), GraphModel::CardHeightRole).toDouble(), height);
  EXPECT_TRUE(moved.contains("f"));
  const QVariantList states = graph.data(graph.index(graph.rowOf("f")), GraphModel::OutputStatesRole).toList();
  ASSERT_EQ(states.size(), 3);
  // The wire whose socket is gone keeps its place until it is removed.
  ASSERT_TRUE(d.push("Set", {SetParam{"f", "source", std::string("in q: vec2; y = q.x")}}));
  EXPECT_EQ(socket_ids(graph, GraphModel::InputsRole), (QStringList{"q", "p"}));
  ASSERT_TRUE(d.push("Remove", {RemoveLink{{"r", "y", "f", "p"}}}));
  EXPECT_EQ(socket_ids(graph, GraphModel::InputsRole), QStringList{"q"});
  while (d.canUndo()) d.undo();
  EXPECT_EQ(graph.count(), 0);
}

TEST(ExpressionModels, ASourceIsJudgedWhileItIsTyped) {
  Document d;
  fill(d, "in p: vec2; y = p.x");
  InspectorModel inspector(d);
  d.selectNode("f");
  const QModelIndex row = inspector.index(0);
  EXPECT_EQ(row.data(InspectorModel::ParamRole), "source");
  EXPECT_EQ(row.data(InspectorModel::KindRole), "lines");
  EXPECT_EQ(inspector.problemWith("source", "in p: vec2; y = p.y"), "");
  const QString problem = inspector.problemWith("source", "in p: vec2;\ny = p.z");
  EXPECT_TRUE(problem.startsWith("Line 2, column 7: ")) << problem.toStdString();
  EXPECT_EQ(row.data(InspectorModel::ErrorRole), "") << "nothing was committed";
  EXPECT_EQ(inspector.setText("source", "in p: vec2;\ny = p.z"), "");
  EXPECT_TRUE(row.data(InspectorModel::ErrorRole).toString().startsWith("line 2, column 7: "));
  d.undo();
  EXPECT_EQ(row.data(InspectorModel::ErrorRole), "");
  EXPECT_TRUE(inspector.docs().join('\n').contains("- **p** ")) << "the sockets that it has, not those of the default";
  EXPECT_FALSE(inspector.docs().join('\n').contains("- **x** "));
}

TEST(ExpressionModels, TheJacobianIsThatOfTheSample) {
  Document d;
  fill(d, "in p: vec2; y = vec2(3*p.x, p.x + 0.5*p.y)");
  RunModel run(d, assets_of(d));
  JacobianModel jacobian(d, run, assets_of(d));
  EXPECT_FALSE(jacobian.offered());
  ASSERT_TRUE(d.push("Pin", {SetDevice{"f", "cuda:31"}})) << "it runs on a device of its own";
  ASSERT_NE(d.validator().blocking(d.graph(), "f"), nullptr);
  d.selectNode("f");
  ASSERT_TRUE(jacobian.offered());
  jacobian.start();
  ASSERT_TRUE(wait_for([&] { return !jacobian.blocks().isEmpty(); }));
  EXPECT_EQ(jacobian.samples(), 4);
  const QVariantMap block = jacobian.blocks().first().toMap();
  EXPECT_EQ(block["title"], "∂y / ∂p");
  EXPECT_EQ(block["columns"].toList(), (QVariantList{"p.x", "p.y"}));
  const QVariantList rows = block["rows"].toList();
  ASSERT_EQ(rows.size(), 2);
  EXPECT_EQ(rows[0].toMap()["name"], "y.x");
  EXPECT_EQ(rows[0].toMap()["cells"].toList(), (QVariantList{"3", "0"}));
  EXPECT_EQ(rows[1].toMap()["cells"].toList(), (QVariantList{"1", "0.5"}));
  const QVariantList at = block["at"].toList();
  jacobian.setSample(3);
  ASSERT_TRUE(wait_for([&] { return !jacobian.running() && jacobian.blocks().first().toMap()["at"].toList() != at; }));
  ASSERT_TRUE(d.push("Set", {SetParam{"f", "source", std::string("in p: vec2; y = p.q")}}));
  EXPECT_TRUE(jacobian.blocks().isEmpty()) << "of another graph";
  jacobian.start();
  ASSERT_TRUE(wait_for([&] { return jacobian.problem() != ""; }));
}

}  // namespace
}  // namespace hw::app::testing::expression_models_test
