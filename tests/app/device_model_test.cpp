// Where nodes run, as the inspector, the menu, the cards and the wires show it and change it.
#include "app/models/run/device_model.h"

#include <gtest/gtest.h>

#include "app/document/text.h"
#include "app/models/graph/graph_model.h"
#include "app/models/problems/problems_model.h"
#include "app/models/run/run_model.h"
#include "app/workspace/device_choice.h"
#include "tests/app/support.h"
#include "tests/engine/graph_builder.h"
#include "tests/engine/quad_assets.h"

namespace hw::app::testing::device_model_test {
namespace {

struct Shown {
  Document document;
  RunModel run{document, std::make_shared<test::QuadAssets>()};
  DeviceModel devices{document, run};
  GraphModel graph{document};
  int emitted = 0;
  Shown() {
    graph.setDevices(&devices);
    QObject::connect(&devices, &DeviceModel::crossingsChanged, &devices, [this] { ++emitted; });
    const Node x = node("x", "constant", {{"shape", std::vector<double>{16, 3}}});
    const Node target = node("target", "constant", {{"shape", std::vector<double>{16, 3}}, {"value", 0.5}});
    EXPECT_TRUE(document.push(
        "Fill", {AddNode{x}, AddNode{target}, AddNode{node("a", "linear", {{"out_features", int64_t{3}}})},
                 AddNode{node("b", "sigmoid")}, AddNode{node("mse", "mse")}, AddNode{node("view", "tensor_view")},
                 AddNode{node("train", "train", {{"steps", int64_t{4}}})}, AddLink{test::link("x.y", "a.x")},
                 AddLink{test::link("a.y", "b.x")}, AddLink{test::link("b.y", "mse.prediction")},
                 AddLink{test::link("b.y", "view.x")}, AddLink{test::link("target.y", "mse.target")},
                 AddLink{test::link("mse.loss", "train.loss")}}));
  }
  QStringList wires() const {
    QStringList list;
    for (const QVariant& c : devices.crossings()) {
      const QVariantMap wire = c.toMap();
      list << QStringLiteral("%1>%2 %3 %4")
                  .arg(wire["from"].toString(), wire["to"].toString(), wire["source"].toString(),
                       wire["target"].toString());
    }
    return list;
  }
  QString badge(const char* id) const {
    return graph.data(graph.index(graph.rowOf(QLatin1String(id))), GraphModel::DeviceRole).toString();
  }
};

TEST(DeviceModel, APinIsOneUndoStepAndMarksItsWires) {
  Shown s;
  EXPECT_TRUE(s.devices.ids().contains("ref"));
  EXPECT_TRUE(s.wires().isEmpty());
  s.document.selectNode("view");
  EXPECT_FALSE(s.devices.pinnable()) << "a view runs nowhere";
  s.document.selectNode("b");
  EXPECT_TRUE(s.devices.pinnable());
  s.devices.setPin("ref");
  EXPECT_EQ(s.devices.pin(), "ref");
  EXPECT_EQ(s.badge("b"), "ref");
  EXPECT_EQ(s.document.undoText(), "Run on ref");
  EXPECT_EQ(s.wires(), (QStringList{"a>b cpu ref", "b>mse ref cpu"})) << "not the wire into the view";
  EXPECT_EQ(s.devices.wireText(test::link("a.y", "b.x")), QStringLiteral("cpu → ref"));
  EXPECT_EQ(s.devices.wireText(test::link("x.y", "a.x")), "");
  EXPECT_TRUE(s.graph.wireText(test::link("a.y", "b.x")).startsWith("f32 "));
  s.run.setDevice("ref");
  EXPECT_TRUE(s.wires().isEmpty()) << "all run there";
  s.run.setDevice("cpu");
  s.devices.setPin("ref");
  s.document.undo();
  EXPECT_EQ(s.devices.pin(), "");
  EXPECT_EQ(s.badge("b"), "");
  EXPECT_TRUE(s.wires().isEmpty());
}

TEST(DeviceModel, TheSelectionIsPinnedTogether) {
  Shown s;
  s.document.select({"a", "b", "view"}, "a");
  EXPECT_EQ(s.devices.pinOfSelection(), "");
  s.devices.pinSelection("ref");
  EXPECT_EQ(s.badge("a") + s.badge("b") + s.badge("view"), "refref");
  EXPECT_EQ(s.devices.pinOfSelection(), "ref") << "the view does not count";
  s.document.select({"a", "mse"}, "a");
  EXPECT_EQ(s.devices.pinOfSelection(), "-");
  EXPECT_EQ(s.wires(), (QStringList{"x>a cpu ref", "b>mse ref cpu"}));
  s.document.undo();
  EXPECT_EQ(s.badge("a") + s.badge("b"), "");
}

TEST(DeviceModel, NothingIsEmittedWhileNothingIsPinned) {
  Shown s;
  s.emitted = 0;
  ASSERT_TRUE(s.document.push("Move", {MoveNode{"a", 50, 60}}));
  ASSERT_TRUE(s.document.push("Cut", {RemoveLink{test::link("a.y", "b.x")}}));
  EXPECT_EQ(s.emitted, 0);
}

TEST(DeviceModel, ARunSaysWhatGoesOverAWire) {
  Shown s;
  s.document.selectNode("b");
  s.devices.setPin("ref");
  s.run.start();
  ASSERT_TRUE(wait_for([&] { return s.run.state() == "finished" || s.run.state() == "failed"; }, 20000));
  ASSERT_TRUE(wait_for([&] { return s.devices.wireText(test::link("a.y", "b.x")).contains("a step"); }))
      << s.run.state().toStdString();
  const QStringList lines = s.devices.wireText(test::link("a.y", "b.x")).split('\n');
  ASSERT_EQ(lines.size(), 2);
  EXPECT_TRUE(lines[0].startsWith("192 B a step, ") && lines[0].endsWith(QStringLiteral("cpu → ref")));
  EXPECT_TRUE(lines[1].startsWith("gradient: 192 B a step, ") && lines[1].endsWith(QStringLiteral("ref → cpu")));
  EXPECT_EQ(lines[0].count(','), 2) << "size, time and way";
  for (const QVariant& c : s.devices.crossings())
    EXPECT_EQ(c.toMap()["text"].toString().section(QChar(0x0a), 0, 0).count(','), 1)
        << "times change with each reading";
}

TEST(DeviceModel, ADeviceThatIsNotHereIsAProblemWithItsRemedy) {
  Shown s;
  ASSERT_TRUE(s.document.push("Pin", {SetDevice{"b", "cuda:31"}}));
  const std::vector<Diagnostic> problems = s.document.validator().of("b");
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems.front().code, codes::no_device);
  QString refused, why;
  QObject::connect(&s.run, &RunModel::failed, &s.run, [&](const QString& code, const QString& reason) {
    refused = code;
    why = reason;
  });
  s.run.start();
  EXPECT_EQ(refused, "HW-R007");
  const std::string explained = workspace::explained(problems.front()).reason;
  EXPECT_GT(explained.size(), problems.front().reason.size());
  EXPECT_TRUE(why.endsWith(sentence(explained))) << why.toStdString() << ": also why it is not here";
  const ProblemsModel listed(s.document);
  QStringList reasons;
  for (int row = 0; row < listed.rowCount(); ++row)
    reasons << listed.data(listed.index(row), ProblemsModel::ReasonRole).toString();
  EXPECT_TRUE(reasons.contains(sentence(explained))) << reasons.join('\n').toStdString();
  s.document.mend(problems.front().remedies.front());
  EXPECT_TRUE(s.document.validator().of("b").empty());
  EXPECT_EQ(s.badge("b"), "");
}

}  // namespace
}  // namespace hw::app::testing::device_model_test
