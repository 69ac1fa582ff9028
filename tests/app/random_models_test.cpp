// What a random node draws from, as the card and the inspector show it and change it.
#include <gtest/gtest.h>

#include "app/models/graph/graph_model.h"
#include "app/models/inspector/inspector_model.h"
#include "engine/program/program.h"
#include "tests/app/support.h"

namespace hw::app::testing::random_models_test {
namespace {

struct Shown {
  Document document;
  GraphModel graph{document};
  InspectorModel inspector{document};
  explicit Shown(const Node& active) {
    EXPECT_TRUE(document.push("Fill", {AddNode{active}, AddNode{node("train", "train", {{"seed", int64_t{7}}})}}));
    document.select({QString::fromStdString(active.id)}, QString::fromStdString(active.id));
  }
  QVariant param(const char* id, InspectorModel::Role role) const {
    for (int i = 0; i < inspector.rowCount(); ++i)
      if (inspector.data(inspector.index(i), InspectorModel::ParamRole).toString() == QLatin1String(id))
        return inspector.data(inspector.index(i), role);
    ADD_FAILURE() << "no parameter " << id;
    return {};
  }
  QVariant card(const char* id, GraphModel::Role role) const {
    return graph.data(graph.index(graph.rowOf(QLatin1String(id))), role);
  }
};

QString stream(const char* name) {
  return QStringLiteral("stream 0x%1").arg(stream_of(name), 8, 16, QLatin1Char('0'));
}

TEST(RandomNode, ShowsWhatItDrawsFromAtThePresentStep) {
  Shown s(node("drop", "dropout"));
  EXPECT_EQ(s.inspector.draws(), "seed 7, " + stream("drop") + ", step 1");
  int emitted = 0;
  QObject::connect(&s.inspector, &InspectorModel::drawsChanged, [&] { ++emitted; });
  s.inspector.setStep(12);
  EXPECT_EQ(emitted, 1);
  EXPECT_EQ(s.inspector.draws(), "seed 7, " + stream("drop") + ", step 12");
  ASSERT_TRUE(s.document.push("Seed", {SetParam{"train", "seed", int64_t{9}}}));
  EXPECT_GT(emitted, 1);
  EXPECT_EQ(s.inspector.draws(), "seed 9, " + stream("drop") + ", step 12");
  s.document.select({"train"}, "train");
  EXPECT_EQ(s.inspector.draws(), "");
}

TEST(RandomNode, FixingIsOneUndoStepThatTheCardShows) {
  Shown s(node("drop", "dropout"));
  EXPECT_TRUE(s.card("drop", GraphModel::RandomRole).toBool());
  EXPECT_FALSE(s.card("drop", GraphModel::RandomFixedRole).toBool());
  EXPECT_EQ(s.card("drop", GraphModel::RandomTextRole),
            "Draws from the run's seed, " + stream("drop") + ", the run's step");
  QVector<int> roles;
  QObject::connect(&s.graph, &GraphModel::dataChanged,
                   [&](const QModelIndex&, const QModelIndex&, const QVector<int>& of) { roles += of; });
  EXPECT_EQ(s.inspector.setText("random_step", "12"), "");
  EXPECT_TRUE(roles.contains(GraphModel::RandomFixedRole));
  EXPECT_TRUE(roles.contains(GraphModel::RandomTextRole));
  EXPECT_TRUE(s.card("drop", GraphModel::RandomFixedRole).toBool());
  EXPECT_EQ(s.inspector.draws(), "seed 7, " + stream("drop") + ", step 12 (fixed)");
  EXPECT_EQ(s.inspector.setText("random_stream", "other"), "");
  EXPECT_EQ(s.inspector.draws(), "seed 7, " + stream("other") + ", step 12 (fixed)");
  s.document.undo();
  s.document.undo();
  EXPECT_FALSE(s.card("drop", GraphModel::RandomFixedRole).toBool());
  EXPECT_EQ(s.inspector.draws(), "seed 7, " + stream("drop") + ", step 1");
  s.document.redo();
  EXPECT_EQ(s.inspector.draws(), "seed 7, " + stream("drop") + ", step 12 (fixed)");
  EXPECT_NE(s.inspector.setText("random_seed", "-5"), "") << "a seed is not negative";
}

TEST(RandomNode, GroupsItsParametersAndSaysWhatTheirDefaultsMean) {
  const Shown s(node("drop", "dropout"));
  EXPECT_EQ(s.param("p", InspectorModel::HeadingRole), "");
  EXPECT_EQ(s.param("random_seed", InspectorModel::HeadingRole), "Random numbers");
  EXPECT_EQ(s.param("random_step", InspectorModel::HeadingRole), "");
  EXPECT_EQ(s.param("random_seed", InspectorModel::StandInRole), "the run's");
  EXPECT_EQ(s.param("random_stream", InspectorModel::StandInRole), "its own");
  EXPECT_EQ(s.param("random_seed", InspectorModel::DefaultTextRole), "the run's");
  EXPECT_EQ(s.param("p", InspectorModel::StandInRole), "");
  for (const QVariant& param : s.card("drop", GraphModel::CardParamsRole).toList())
    EXPECT_FALSE(param.toMap()["id"].toString().startsWith("random_")) << "cards stay short";
}

TEST(RandomNode, IsACastOnlyWhileItRoundsAtRandom) {
  Shown s(node("cast", "cast"));
  EXPECT_EQ(s.inspector.draws(), "");
  EXPECT_FALSE(s.card("cast", GraphModel::RandomRole).toBool());
  EXPECT_FALSE(s.param("random_seed", InspectorModel::AppliesRole).toBool());
  EXPECT_EQ(s.param("random_seed", InspectorModel::HeadingRole), "");
  EXPECT_EQ(s.inspector.setText("rounding", "stochastic"), "");
  EXPECT_EQ(s.inspector.draws(), "seed 7, " + stream("cast") + ", step 1");
  EXPECT_TRUE(s.card("cast", GraphModel::RandomRole).toBool());
  EXPECT_TRUE(s.param("random_seed", InspectorModel::AppliesRole).toBool());
  EXPECT_EQ(s.param("random_seed", InspectorModel::HeadingRole), "Random numbers");
}

}  // namespace
}  // namespace hw::app::testing::random_models_test
