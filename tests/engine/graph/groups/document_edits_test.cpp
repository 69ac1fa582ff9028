// document_edits: remedies for nodes in groups mend the document; groups that go with copies.
#include "engine/graph/groups/document_edits.h"

#include <gmock/gmock.h>

#include "engine/core/codes.h"
#include "engine/graph/groups/copy_groups.h"
#include "engine/graph/groups/flatten.h"
#include "engine/graph/precision/fix.h"
#include "tests/engine/group_graphs.h"

namespace hw::document_edits_test {
namespace {

using test::block;
using test::built;
using test::grouped;
using test::link;
using test::node;
using test::unit;

/// The remedy whose label begins so, of the first error.
Edits remedy_of(const Graph& document, const std::string& label) {
  Validator v;
  v.reset(flatten(document));
  for (const Diagnostic& d : v.all())
    for (const Remedy& r : d.remedies)
      if (r.label.starts_with(label)) return r.edits;
  ADD_FAILURE() << "no remedy " << label << " in " << test::problems(flatten(document));
  return {};
}

TEST(DocumentEdits, RemediesMendTheDocument) {
  Graph g = grouped();  // an f16 wire into the first group, and from the last into an f16 node
  ASSERT_TRUE(
      apply_edits(g, {AddNode{node("half", "cast", {{"to", std::string("f16")}})}, AddLink{link("data.y", "half.x")},
                      AddLink{link("half.y", "one.x")}, SetParam{"head", "dtype", ParamValue(std::string("f16"))}}));
  const auto inside = document_edits(g, remedy_of(g, "Insert Cast f16 → f32"));
  ASSERT_TRUE(inside) << inside.error().text();
  ASSERT_TRUE(apply_edits(g, *inside));
  const Group& mended = *g.find_group("unit");
  EXPECT_TRUE(mended.graph.find("cast")) << "every instance has it";
  EXPECT_TRUE(mended.graph.has_link(link("cast.y", "linear.x")));
  ASSERT_TRUE(apply_edits(g, {MoveNode{"two", 3000, 2000}, MoveNode{"head", 3400, 2000}}));
  const auto outside = document_edits(g, remedy_of(g, "Insert Lossy Cast f32 → f16"));
  ASSERT_TRUE(outside) << outside.error().text();
  ASSERT_TRUE(apply_edits(g, *outside));
  EXPECT_TRUE(g.has_link(link("two.y", "cast.x")));
  EXPECT_EQ(g.find("cast")->x, 3200) << "between the ends on the canvas, wherever the group's output lies in it";
  EXPECT_TRUE(g.has_link(link("cast.y", "head.x")));
  const Edits same{SetFrozen{"one/a/first/linear", true}, SetFrozen{"two/b/first/linear", true},
                   SetFrozen{"head", true}};
  const auto once = document_edits(g, same);
  ASSERT_TRUE(once) << once.error().text();
  EXPECT_EQ(once->size(), 2u) << "a definition, and the head";
  const Edits different{SetFrozen{"one/a/first/linear", true}, SetFrozen{"two/b/first/relu", true}};
  const auto refused = document_edits(g, different);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, codes::bad_group);
}

/// The document after these edits of its flattened graph.
Graph mended(Graph document, const Edits& edits) {
  const auto own = document_edits(document, edits);
  EXPECT_TRUE(own) << own.error().text();
  EXPECT_TRUE(!own || apply_edits(document, *own));
  return document;
}

TEST(DocumentEdits, WhatAnInstanceGivesIsSetThere) {
  Graph g = grouped();
  ASSERT_TRUE(apply_edits(g, {SetDevice{"two", "ref"}, SetTie{"one", "two"}}));
  const Graph narrow = mended(g, {SetParam{"two/b/second/linear", "out_features", ParamValue(int64_t{3})}});
  EXPECT_EQ(narrow.find("two")->params.at("width"), ParamValue(int64_t{3}));
  EXPECT_EQ(narrow.groups(), g.groups());
  const Graph wide = mended(g, {SetParam{"one/b/second/linear", "out_features", ParamValue(int64_t{3})}});
  EXPECT_EQ(wide.find("one")->params.at("width"), ParamValue(int64_t{3}))
      << "of this instance alone, though it had none";
  EXPECT_EQ(wide.groups(), g.groups());
  const Graph plain = mended(g, {SetParam{"one/b/second/linear", "bias", ParamValue(false)}});
  EXPECT_EQ(plain.find_group("unit")->graph.find("linear")->params.at("bias"), ParamValue(false))
      << "nobody promotes it";
  EXPECT_EQ(mended(g, {SetDevice{"two/a/first/linear", ""}}).find("two")->device, "");
  EXPECT_EQ(mended(g, {SetTie{"one/a/first/linear", ""}}).find("one")->tie, "");
}

TEST(DocumentEdits, AddedNodesGetFreeIds) {
  Group taken = unit();
  taken.graph.add_node(node("cast", "cast"));
  Graph g = grouped();
  ASSERT_TRUE(apply_edits(g, {SetGroup{taken}, AddNode{node("cast_3", "group:unit")}}));
  const Edits two{AddNode{node("cast", "cast")}, AddNode{node("cast_2", "cast")}, AddLink{link("cast.y", "cast_2.x")},
                  AddLink{{"one/a/first/x", "y", "cast", "x"}}};
  const Graph inside = mended(g, two);
  EXPECT_EQ(inside.find_group("unit")->graph.nodes().size(), taken.graph.nodes().size() + 2);
  const Graph outside = mended(g, {AddNode{node("cast_3", "cast")}, AddLink{link("data.y", "cast_3.x")}});
  EXPECT_EQ(outside.nodes().size(), g.nodes().size() + 1);
  EXPECT_EQ(outside.find("cast_3")->type, "group:unit");
}

TEST(DocumentEdits, ARemovedNodeTakesItsPromotedParametersAlong) {
  const Graph g = mended(grouped(), {RemoveNode{"one/a/first/dropout"}});
  EXPECT_EQ(g.find_group("unit")->params, (std::vector<PromotedParam>{{"width", "", "linear", "out_features"}}));
}

// The same in each instance: one edit of the definition.
TEST(DocumentEdits, APolicyMendsDefinitions) {
  Graph g = grouped();
  const Graph before = g;
  const auto notes = fix_clashes(g, *parse_fix("unify=f16"), {});
  ASSERT_TRUE(notes) << notes.error().text();
  const Graph flat = flatten(g);
  EXPECT_EQ(test::problems(flat), "");
  EXPECT_EQ(flat.find("two/b/second/linear")->params.at("dtype"), ParamValue(std::string("f16")));
  EXPECT_EQ(flat.nodes().size(), flatten(before).nodes().size());
}

TEST(CopyGroups, GoIntoAnotherDocument) {
  const Graph g = grouped();
  Graph part = built({AddNode{node("block", "group:block")}});
  add_used_groups(g, part);
  EXPECT_EQ(part.groups().size(), 2u) << "block and the unit in it";
  Graph same = part;
  EXPECT_TRUE(adopt_groups(g, same).empty()) << "they are there already";
  EXPECT_EQ(adopt_groups(Graph(), same).size(), 2u);
  Group other = unit();
  other.title = "Another unit";
  Graph document = built({SetGroup{other}, SetGroup{block()}});
  Graph adopted = part;
  ASSERT_TRUE(apply_edits(document, adopt_groups(document, adopted)));
  EXPECT_EQ(adopted.find("block")->type, "group:block_2") << "its unit is another one";
  EXPECT_EQ(document.find_group("block_2")->graph.find("first")->type, "group:unit_2");
  EXPECT_EQ(document.find_group("unit")->title, "Another unit");
  EXPECT_EQ(document.find_group("unit_2")->title, "Unit");
}

}  // namespace
}  // namespace hw::document_edits_test
