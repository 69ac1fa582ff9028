// Groups that go with copies of nodes: what their definitions become where the copies arrive.
#include "engine/graph/groups/copy_groups.h"

#include <gmock/gmock.h>

#include "engine/graph/groups/group_edits.h"
#include "engine/graph/groups/group_interface.h"
#include "tests/engine/group_graphs.h"

namespace hw::copy_groups_test {
namespace {

using test::block;
using test::built;
using test::grouped;
using test::link;
using test::node;
using test::unit;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Instances of `unit` with values and wires, as the clipboard holds them.
Graph copies() {
  Graph part = built({AddNode{node("data", "random")}, AddNode{node("u", "group:unit", {{"p", 0.75}})},
                      AddNode{node("relu", "relu")}, AddLink{link("data.y", "u.x")}, AddLink{link("u.y", "relu.x")}});
  part.set_group(unit());
  return part;
}

TEST(CopyGroups, AnotherOfTheSameNameGetsATitleOfItsOwn) {
  Group there = unit();
  there.description = "This document's own.";
  Graph document = built({SetGroup{there}});
  Graph part = copies();
  const Edits edits = adopt_groups(document, part);
  ASSERT_TRUE(apply_edits(document, edits));
  EXPECT_EQ(part.find("u")->type, "group:unit_2");
  EXPECT_EQ(*document.find_group("unit"), there) << "the document's stays";
  EXPECT_EQ(title_of(*document.find_group("unit_2")), "Unit 2");
  Graph again = copies();
  EXPECT_THAT(adopt_groups(document, again), IsEmpty()) << "it is there already, under its other name";
  EXPECT_EQ(again.find("u")->type, "group:unit_2");
}

TEST(CopyGroups, CopiesThatComeBackAreOfTheGroupsAsTheyAreNow) {
  Graph document = built({SetGroup{unit()}, SetGroup{block()}});
  Graph part = built({AddNode{node("block", "group:block")}});
  add_used_groups(document, part);
  Graph same = part;
  EXPECT_THAT(renew_groups(document, same), IsEmpty()) << "nothing has changed";
  EXPECT_TRUE(same == part);

  Group changed = unit();
  changed.graph.node("linear").label = "Edited";
  ASSERT_TRUE(apply_edits(document, {SetGroup{changed}}));
  EXPECT_THAT(renew_groups(document, part), ElementsAre(HasSubstr("Unit has changed since it was copied")));
  EXPECT_EQ(*part.find_group("unit"), changed);
  EXPECT_THAT(adopt_groups(document, part), IsEmpty());
}

TEST(CopyGroups, WhatTheGroupHasNoPlaceForAnyMoreIsLeftOutAndSaid) {
  Group changed = unit();
  std::erase_if(changed.params, [](const PromotedParam& p) { return p.id == "p"; });
  for (const std::string id : {"x", "y"}) {
    for (const Link& l : changed.graph.links())
      if (l.from == id || l.to == id) changed.graph.remove_link(l);
    changed.graph.remove_node(id);
  }
  const Graph document = built({SetGroup{changed}});
  Graph part = copies();
  const auto notes = renew_groups(document, part);
  EXPECT_THAT(notes, ElementsAre(HasSubstr("has changed"), HasSubstr("no parameter p"), HasSubstr("no output y"),
                                 HasSubstr("no input x")));
  EXPECT_THAT(part.find("u")->params, IsEmpty());
  EXPECT_THAT(part.links(), IsEmpty());
}

TEST(CopyGroups, AGroupThatIsGoneComesBackWithTheCopies) {
  Graph part = copies();
  EXPECT_THAT(renew_groups(Graph(), part), IsEmpty());
  EXPECT_EQ(*part.find_group("unit"), unit());
  EXPECT_EQ(adopt_groups(Graph(), part).size(), 1u);
}

TEST(CopyGroups, WhatOnlyTheOldDefinitionUsedDoesNotComeBack) {
  Graph document = built({SetGroup{unit()}, SetGroup{block()}});
  Graph part = built({AddNode{node("block", "group:block")}});
  add_used_groups(document, part);
  Group plain = block();
  const Group whole = block();
  for (const auto& [id, inner] : whole.graph.nodes())
    if (group_of(inner)) plain.graph.node(id).type = "relu";
  ASSERT_TRUE(apply_edits(document, {SetGroup{plain}, RemoveGroup{"unit"}}));
  renew_groups(document, part);
  EXPECT_FALSE(part.find_group("unit"));
  EXPECT_THAT(adopt_groups(document, part), IsEmpty());
}

}  // namespace
}  // namespace hw::copy_groups_test
