// Paths that a graph names when its file moves to another folder: they reach what they reached.
#include "engine/io/asset/asset_paths.h"

#include <gmock/gmock.h>

#include "engine/graph/groups/flatten.h"
#include "tests/engine/graph_builder.h"
#include "tests/engine/io_temp.h"

namespace hw::asset_paths_test {
namespace {

namespace fs = std::filesystem;
using test::built;
using test::node;
using test::TempFolder;
using test::write_bytes;
using ::testing::ElementsAre;

class AssetPaths : public ::testing::Test {
 protected:
  AssetPaths() {
    for (const char* sub : {"a/inside/deep", "b/c", "data/mnist"}) fs::create_directories(folder_ / sub);
    for (const char* file : {"a/pic.png", "a/inside/pic.png", "out.obj", "b/c/pic.png", "data/mnist/train"})
      write_bytes(folder_ / file, file);
  }
  std::string at(const char* file) const { return fs::weakly_canonical(folder_ / file).string(); }
  /// What a picture's path is after the move from one folder to another.
  std::string moved(const std::string& path, const char* from, const char* to) const {
    Graph graph = built({AddNode{node("pic", "image_source", {{"path", path}})}});
    EXPECT_TRUE(apply_edits(graph, paths_seen_from(graph, folder_ / from, folder_ / to)));
    return std::get<std::string>(graph.find("pic")->params.at("path"));
  }
  TempFolder folder_;
};

TEST_F(AssetPaths, RelativeOnesReachTheSameFile) {
  EXPECT_EQ(moved("inside/pic.png", "a", "a/inside"), "pic.png");
  EXPECT_EQ(moved("inside/pic.png", "a", "a/inside/deep"), "../pic.png");
  EXPECT_EQ(moved("../inside/pic.png", "a/inside", "a"), "inside/pic.png");
  EXPECT_EQ(moved("../out.obj", "a", "b/c"), "../../out.obj");
  EXPECT_EQ(moved("./pic.png", "a", "b"), "../a/pic.png");
}

TEST_F(AssetPaths, AnotherFileOfThatNameIsNotTakenForIt) {
  EXPECT_EQ(moved("pic.png", "a", "b/c"), "../../a/pic.png");
}

TEST_F(AssetPaths, WhatReachesNothingAndWhatReachesTheSameStays) {
  EXPECT_EQ(moved("missing.png", "a", "b"), "missing.png");
  EXPECT_EQ(moved("pic.png", "a", "a"), "pic.png");
  EXPECT_EQ(moved("asset:somewhere/pic.png", "a", "b"), "asset:somewhere/pic.png");
  fs::create_directories(folder_ / "linked");
  fs::create_symlink(folder_ / "a/pic.png", folder_ / "linked/pic.png");
  EXPECT_EQ(moved("pic.png", "a", "linked"), "pic.png") << "a link to the same file";
}

TEST_F(AssetPaths, AnAssetBesideTheGraphIsAFileOfIt) {
  EXPECT_EQ(moved("asset:inside/pic.png", "a", "b"), "../a/inside/pic.png");
}

TEST_F(AssetPaths, AbsoluteOnesBelowTheNewFolderBecomeRelative) {
  EXPECT_EQ(moved(at("a/inside/pic.png"), "b", "a"), "inside/pic.png");
  EXPECT_EQ(moved(at("a/pic.png"), "a", "b"), at("a/pic.png"));
  EXPECT_EQ(path_named_in(at("a"), at("a/..pic.png")), "..pic.png") << "a name that begins with dots";
}

TEST_F(AssetPaths, EveryKindOfNodeInGroupsAndOfInstancesToo) {
  Group group;
  group.id = "look";
  group.graph = built({AddNode{node("inner", "image_source", {{"path", std::string("pic.png")}})},
                       AddNode{node("mesh", "mesh_source", {{"path", std::string("../out.obj")}})}});
  group.params = {{"picture", "", "inner", "path"}};
  const std::string data = "../data/mnist";
  Graph graph =
      built({SetGroup{group}, AddNode{node("one", "group:look")},
             AddNode{node("two", "group:look", {{"picture", std::string("inside/pic.png")}})},
             AddNode{node("data", "dataset_source", {{"path", data}})}, AddNode{node("none", "image_source")}});
  const Edits edits = paths_seen_from(graph, folder_ / "a", folder_ / "b/c");
  const Graph before = graph;
  const auto inverse = apply_edits(graph, edits);
  ASSERT_TRUE(inverse);
  const Graph flat = flatten(graph);
  const auto path = [&](const char* id) { return std::get<std::string>(flat.find(id)->params.at("path")); };
  EXPECT_EQ(path("one/inner"), "../../a/pic.png");
  EXPECT_EQ(path("two/inner"), "../../a/inside/pic.png");
  EXPECT_EQ(path("two/mesh"), "../../out.obj");
  EXPECT_EQ(path("data"), "../../data/mnist");
  std::vector<std::string> outside;
  for (const AssetRef& ref : assets_outside(flat, folder_ / "b/c")) outside.push_back(ref.node);
  EXPECT_THAT(outside, ElementsAre("one/inner", "one/mesh", "two/inner", "two/mesh")) << "data sets do not travel";
  undo_edits(graph, *inverse);
  EXPECT_TRUE(graph == before);
}

}  // namespace
}  // namespace hw::asset_paths_test
