// Several nodes in the inspector: what they have in common, and edits of all as one step.
#include <gtest/gtest.h>

#include "app/models/inspector/inspector_model.h"
#include "app/models/text/param_value.h"
#include "tests/app/support.h"

namespace hw::app::testing {
namespace {

int row_of(const InspectorModel& model, const QString& param) {
  for (int i = 0; i < model.rowCount(); ++i) {
    if (model.data(model.index(i), InspectorModel::ParamRole) == param) return i;
  }
  return -1;
}

QVariant of(const InspectorModel& model, const QString& param, int role) {
  return model.data(model.index(row_of(model, param)), role);
}

ParamValue value(const Document& d, const char* id, const char* param) {
  return param_value(*d.graph().find(id), param);
}

/// Two MLPs of different widths, a linear layer, an activation.
void push_layers(Document& d) {
  ASSERT_TRUE(d.push("Add", {AddNode{node("a", "mlp", {{"width", int64_t{16}}})}, AddNode{node("b", "mlp")},
                             AddNode{node("l", "linear")}, AddNode{node("r", "relu")}}));
}

TEST(EditedNodes, OfOneTypeAllParametersAreThereAndMixedOnesSaySo) {
  Document d;
  push_layers(d);
  InspectorModel model(d);
  d.select({"a", "b"}, "b");
  EXPECT_EQ(model.title(), "2 nodes");
  EXPECT_EQ(model.typeTitle(), "MLP");
  EXPECT_TRUE(of(model, "width", InspectorModel::MixedRole).toBool());
  EXPECT_EQ(of(model, "width", InspectorModel::TextRole), "");
  EXPECT_EQ(of(model, "width", InspectorModel::StandInRole), "mixed");
  EXPECT_FALSE(of(model, "layers", InspectorModel::MixedRole).toBool());
  const QString undo = d.undoText();
  EXPECT_EQ(model.setText("width", "*=2"), "");
  EXPECT_EQ(value(d, "a", "width"), ParamValue(int64_t{32}));
  EXPECT_EQ(value(d, "b", "width"), ParamValue(int64_t{64}));
  EXPECT_EQ(model.setText("width", "48"), "");
  EXPECT_FALSE(of(model, "width", InspectorModel::MixedRole).toBool());
  EXPECT_EQ(value(d, "a", "width"), value(d, "b", "width"));
  d.undo();
  d.undo();
  EXPECT_EQ(value(d, "a", "width"), ParamValue(int64_t{16}));
  EXPECT_EQ(d.undoText(), undo) << "one step each";
  d.selectNode("a");
  EXPECT_EQ(model.title(), "MLP");
  EXPECT_EQ(of(model, "width", InspectorModel::TextRole), "16");
}

TEST(EditedNodes, OfSeveralTypesThoseInCommon) {
  Document d;
  push_layers(d);
  InspectorModel model(d);
  d.select({"a", "l"}, "a");
  EXPECT_EQ(model.typeTitle(), "");
  EXPECT_GE(row_of(model, "dtype"), 0);
  EXPECT_EQ(row_of(model, "width"), -1);
  model.setValue("dtype", "f64");
  EXPECT_EQ(value(d, "a", "dtype"), ParamValue(std::string("f64")));
  EXPECT_EQ(value(d, "l", "dtype"), ParamValue(std::string("f64")));
  d.select({"a", "r"}, "a");
  EXPECT_EQ(model.rowCount(), 0);
}

TEST(EditedNodes, OneThatRefusesKeepsAllAsTheyWere) {
  Document d;
  push_layers(d);
  d.push("Name", {SetLabel{"a", "Head"}});
  InspectorModel model(d);
  d.select({"a", "b"}, "b");
  const QString undo = d.undoText();
  EXPECT_TRUE(model.setText("width", "/=32").startsWith("Head: Must be a whole number"));
  EXPECT_EQ(d.undoText(), undo);
}

TEST(EditedNodes, FlagsAreThoseOfAll) {
  Document d;
  push_layers(d);
  InspectorModel model(d);
  d.select({"a", "b", "r"}, "b");
  EXPECT_TRUE(model.hasWeights());
  EXPECT_FALSE(model.frozen());
  model.setFrozen(true);
  EXPECT_TRUE(d.graph().find("a")->frozen && d.graph().find("b")->frozen && !d.graph().find("r")->frozen);
  EXPECT_TRUE(model.frozen());
  d.undo();
  EXPECT_FALSE(d.graph().find("a")->frozen || d.graph().find("b")->frozen);
  d.push("Bypass", {SetFlags{"a", false, true}});
  EXPECT_FALSE(model.bypassed());
}

TEST(Scrub, SnapsToRoundValues) {
  NodeDecl decl;
  const ParamDecl rate = decl.real("rate", 0.001).range(1e-6, 1).logarithmic();
  EXPECT_NEAR(scrub(rate, 0.001, 40, true), 0.002, 1e-12);
  EXPECT_NEAR(scrub(rate, 0.001, -30, true), 0.0005, 1e-12);
  const ParamDecl width = decl.integer("width", 32).range(1, 4096).logarithmic();
  EXPECT_EQ(scrub(width, 48, 30, true), 64);
  const ParamDecl share = decl.real("share", 0.5).range(0, 1);
  EXPECT_NEAR(scrub(share, 0.537, 1, true), 0.54, 1e-12);
  const ParamDecl steps = decl.integer("steps", 105);
  EXPECT_EQ(scrub(steps, 105, 16, true), 110);
}

TEST(Scrub, WhatIsPutBackIsNoStep) {
  Document d;
  push_layers(d);
  InspectorModel model(d);
  d.selectNode("a");
  const QString undo = d.undoText();
  model.setValue("width", 20, true);
  model.setValue("width", 30, true);
  EXPECT_NE(d.undoText(), undo);
  model.setValue("width", 16, true);
  model.endDrag();
  EXPECT_EQ(d.undoText(), undo);
  EXPECT_EQ(value(d, "a", "width"), ParamValue(int64_t{16}));
}

}  // namespace
}  // namespace hw::app::testing
