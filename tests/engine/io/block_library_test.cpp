// Blocks as files: what is written, read, and taken into a document.
#include "engine/io/graph/block_library.h"

#include <gmock/gmock.h>

#include "engine/graph/groups/block.h"
#include "engine/graph/groups/flatten.h"
#include "engine/io/graph/graph_file.h"
#include "tests/engine/group_graphs.h"
#include "tests/engine/io_temp.h"

namespace hw {
namespace {

using test::grouped;
using test::node;
using ::testing::HasSubstr;

Graph tower_file() {
  return block_file(grouped(), *grouped().find_group("tower"),
                    {{"x", {Kind::tensor, DType::f32, {{"N", 5, ""}, {"C", 3, ""}}}}});
}

TEST(BlockFile, IsAGraphWithAllThatTheGroupUses) {
  const Graph file = tower_file();
  const auto block = block_of(file);
  ASSERT_TRUE(block) << block.error().text();
  EXPECT_EQ((*block)->id, "tower");
  EXPECT_EQ(file.groups().size(), 3u);
  EXPECT_EQ(test::problems(flatten(file)), "");
  EXPECT_EQ(std::get<std::vector<double>>(file.find("x")->params.at("shape")), (std::vector<double>{5, 3}));
}

TEST(BlockFile, OfSomethingElseIsRefused) {
  EXPECT_THAT(block_of(Graph()).error().reason, HasSubstr("no instance"));
  EXPECT_THAT(block_of(grouped()).error().reason, HasSubstr("several"));
  Graph lost = test::built({AddNode{node("a", "group:gone")}});
  EXPECT_THAT(block_of(lost).error().reason, HasSubstr("not there"));
}

TEST(AdoptBlock, UsesWhatIsThereAlready) {
  const Graph file = tower_file();
  Graph graph;
  const auto first = adopt_block(graph, file);
  ASSERT_TRUE(first) << first.error().text();
  EXPECT_EQ(first->edits.size(), 3u);
  const auto inverse = apply_edits(graph, first->edits);
  ASSERT_TRUE(inverse);
  const auto again = adopt_block(graph, file);
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->edits.empty());
  EXPECT_EQ(again->group, "tower");
  undo_edits(graph, *inverse);
  EXPECT_EQ(write_graph(graph), write_graph(Graph()));
}

TEST(AdoptBlock, AnotherGroupOfTheIdStays) {
  const Graph file = tower_file();
  Graph graph = grouped();
  Group other = *graph.find_group("unit");
  other.title = "Another";
  graph.set_group(other);
  const Graph before = graph;
  const auto adopted = adopt_block(graph, file);
  ASSERT_TRUE(adopted);
  EXPECT_EQ(adopted->group, "tower_2") << "its units are others";
  ASSERT_TRUE(apply_edits(graph, adopted->edits));
  EXPECT_EQ(graph.find_group("unit")->title, "Another");
  EXPECT_EQ(test::problems(flatten(graph)), "");
  // The next time the same is found under the id that it has here.
  const auto again = adopt_block(graph, file);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->group, "tower_2");
  EXPECT_TRUE(again->edits.empty());
}

TEST(BlockLibrary, ReadsFoldersAndSaysWhatItCannotUse) {
  const test::TempFolder product, own;
  ASSERT_TRUE(save_block(tower_file(), product / "tower.halfwire"));
  ASSERT_TRUE(save_block(tower_file(), own / "mine.halfwire"));
  test::write_bytes(own / "broken.halfwire", "{");
  ASSERT_TRUE(save_graph(grouped(), own / "no_block.halfwire"));
  test::write_bytes(own / "notes.txt", "nothing");
  const BlockLibrary library = read_block_library(product.path(), own.path());
  ASSERT_EQ(library.blocks.size(), 2u);
  EXPECT_TRUE(find_block(library, "tower") && !find_block(library, "tower")->own);
  EXPECT_TRUE(find_block(library, "own/mine") && find_block(library, "own/mine")->own);
  ASSERT_EQ(library.unusable.size(), 2u);
  EXPECT_THAT(library.unusable[1].where, HasSubstr("no_block"));
  EXPECT_TRUE(read_block_library("/nowhere", "/nowhere").blocks.empty());
}

TEST(BlockLibrary, AFileIsNamedByTheTitle) {
  EXPECT_EQ(block_file_name("My Block 2"), "my_block_2.halfwire");
  EXPECT_EQ(block_file_name("../x"), "___x.halfwire");
}

TEST(BlockLibrary, WhatAGroupIsCalledSurvivesTheFile) {
  Graph file = tower_file();
  Group group = *file.find_group("tower");
  group.description = "Two blocks. \"Quoted\".\nMore.";
  group.category = "Mine";
  group.keywords = "stack";
  file.set_group(group);
  const auto read = parse_graph(write_graph(file), "file");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(*read->find_group("tower"), group);
}

}  // namespace
}  // namespace hw
