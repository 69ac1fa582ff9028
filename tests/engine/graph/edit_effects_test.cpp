// What edits change, by kind and in a graph, against what they do change.
#include "engine/graph/edit_effects.h"

#include <gtest/gtest.h>

#include "engine/graph/node_fields.h"
#include "tests/engine/group_graphs.h"

namespace hw {
namespace {

using test::node;

TEST(EditEffects, LooksAreNoStructure) {
  for (const Edit& edit : Edits{SetLabel{"mlp", "Decoder"}, MoveNode{"mlp", 8, 16}, SetPreview{"mlp", true}, SetFrame{},
                                RemoveFrame{"f"}, SetPolicy{}, SetWeightNames{}})
    EXPECT_FALSE(may_change(edit).structure()) << edit.index();
}

TEST(EditEffects, WhatIsComputedIsStructure) {
  for (const Edit& edit :
       Edits{AddNode{node("a", "mlp")}, RemoveNode{"a"}, SetParam{"a", "width", int64_t{8}}, SetFlags{"a", false, true},
             SetFrozen{"a", true}, SetTie{"a", "b"}, SetDevice{"a", "cpu"}, SetWeight{"a", "weight", {}}, AddLink{},
             RemoveLink{}, SetGroup{}, RemoveGroup{"g"}})
    EXPECT_TRUE(may_change(edit).structure()) << edit.index();
}

TEST(EditEffects, CollapsingACardIsLooksAlone) {
  const Graph graph = test::neural_texture();
  const Effects collapsed = effects_of(graph, SetFlags{"mse", true, false});
  EXPECT_EQ(collapsed, (Effects{.looks = true}));
  const Effects bypassed = effects_of(graph, SetFlags{"mse", false, true});
  EXPECT_TRUE(bypassed.structure());
  EXPECT_TRUE(bypassed.dtypes);
}

TEST(EditEffects, DTypesMeetAnewByWiresAndByParametersThatAreDTypes) {
  const Graph graph = test::neural_texture();
  EXPECT_TRUE(change_dtypes(graph, {AddLink{}}));
  EXPECT_TRUE(change_dtypes(graph, {RemoveNode{"mlp"}}));
  EXPECT_TRUE(change_dtypes(graph, {SetParam{"mlp", "dtype", std::string("f16")}}));
  EXPECT_FALSE(change_dtypes(graph, {SetParam{"mlp", "width", int64_t{32}}}));
  EXPECT_TRUE(change_dtypes(graph, {SetParam{"mlp", "bias", true}}));  // weights come
  EXPECT_FALSE(change_dtypes(graph, {AddNode{node("new", "mlp")}}));   // its wires do
  // Nothing is known of a node that the edits before it add.
  EXPECT_TRUE(change_dtypes(graph, {AddNode{node("new", "mlp")}, SetParam{"new", "width", int64_t{32}}}));
  EXPECT_FALSE(change_dtypes(graph, {MoveNode{"mlp", 0, 0}, SetFrozen{"mlp", true}, SetFlags{"mlp", true, false}}));
}

TEST(EditEffects, OfOneNodeThatStays) {
  const Edit frozen = SetFrozen{"mlp", true};
  ASSERT_TRUE(node_set_by(frozen));
  EXPECT_EQ(*node_set_by(frozen), "mlp");
  EXPECT_FALSE(node_set_by(Edit(AddNode{node("a", "mlp")})));
  EXPECT_FALSE(node_set_by(Edit(RemoveNode{"a"})));
  EXPECT_FALSE(node_set_by(Edit(SetPolicy{})));
}

TEST(NodeFields, RowsSayInWhatNodesDiffer) {
  const Node one = test::neural_texture().nodes().at("mlp");
  EXPECT_TRUE(equal_in(kComputed, one, one));
  Node moved = one;
  moved.x += 8;
  moved.preview = true;
  moved.label = "Decoder";
  moved.name = "decoder";
  EXPECT_TRUE(equal_in(kComputed, one, moved));
  EXPECT_FALSE(equal_in(NodeFields::looks, one, moved));
  EXPECT_FALSE(equal_in(NodeFields::words, one, moved));
  EXPECT_FALSE(equal_in(NodeFields::file, one, moved));
  Node set = one;
  set.params["seed"] = int64_t{3};
  EXPECT_TRUE(equal_in(NodeFields::computation, one, set));
  EXPECT_FALSE(equal_in(NodeFields::values, one, set));
  Node frozen = one;
  frozen.frozen = true;
  EXPECT_FALSE(equal_in(NodeFields::computation, one, frozen));
}

}  // namespace
}  // namespace hw
