// Files that a graph names: those that cannot be read, and what those that can lack.
#include "app/workspace/assets.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "app/workspace/input_files.h"
#include "tests/workspace/quiet.h"

namespace hw::workspace {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;

class WorkspaceAssets : public test::Quiet {
 protected:
  OpenGraph with_mesh() {
    const std::string file = written("g.halfwire", R"({"halfwire": 1, "nodes": [
      {"id": "mesh", "type": "mesh_source", "params": {"path": "quad.obj"}}], "links": []})");
    auto open = open_graph({.graph = file}, notes_);
    EXPECT_TRUE(open) << open.error().text();
    return std::move(*open);
  }
};

TEST_F(WorkspaceAssets, AFileThatIsNotThereIsAnErrorOfItsNode) {
  const OpenGraph open = with_mesh();
  std::vector<Diagnostic> found;
  check_assets(open, found);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found.front().code, codes::asset_missing);
  EXPECT_EQ(found.front().node, "mesh");
  note_file_warnings(open, {}, notes_);
  EXPECT_THAT(notes_, IsEmpty()) << "the run itself says so";
}

TEST_F(WorkspaceAssets, WhatAMeshLacksIsAWarning) {
  written("quad.obj", "mtllib quad.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 0 1\nusemtl m\nf 1/1 2/2 3/3\n");
  written("quad.mtl", "newmtl m\nmap_Kd lost.png\n");
  const OpenGraph open = with_mesh();
  note_file_warnings(open, {"mesh"}, notes_);
  const auto lost = std::ranges::find_if(notes_, [](const Note& n) { return n.text.find("lost.png") != n.text.npos; });
  ASSERT_NE(lost, notes_.end());
  ASSERT_TRUE(lost->diagnostic);
  EXPECT_EQ(lost->diagnostic->severity, Severity::warning);
  EXPECT_EQ(lost->diagnostic->code, codes::asset_lacks);
  Notes all;
  note_warnings(open, all);
  EXPECT_THAT(test::texts(all), Contains(lost->text));
}

TEST_F(WorkspaceAssets, WhatIsReadIsNotWrittenOver) {
  const OpenGraph open = with_mesh();
  const std::string graph = (folder_ / "g.halfwire").string();
  EXPECT_EQ(refuse_overwrite(graph, input_files(open, "")).error().code, codes::bad_usage);
  EXPECT_TRUE(refuse_overwrite(folder_ / "other.halfwire", input_files(open, "")));
  EXPECT_EQ(check_free(graph).error().code, codes::file_unwritable);
  EXPECT_EQ(check_free(graph).error().remedy, "Name another, or take it away.");
  EXPECT_EQ(check_free(graph, "-o").error().remedy, "Name another with -o, or take it away.");
}

}  // namespace
}  // namespace hw::workspace
