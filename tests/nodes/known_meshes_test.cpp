// Nodes from mesh to mesh: results known by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "engine/node/example_assets.h"
#include "engine/program/builder.h"
#include "tests/nodes/evaluate.h"

namespace hw {
namespace {

using Point = std::array<float, 3>;

/// What the node makes of meshes.
std::shared_ptr<const Mesh> mesh_of(const std::string& node, LowerArgs::In inputs, const ParamMap& given = {}) {
  const NodeType& type = *Registry::instance().find(node);
  Program program;
  OpBuilder b(program);
  ExampleAssets assets;
  const Params params(type.decl, given);
  const Lowered out = type.lower(b, LowerArgs(params, std::move(inputs), assets));
  EXPECT_TRUE(b.status()) << b.status().error().text();
  return std::get<std::shared_ptr<const Mesh>>(out.at(0));
}

void expect_near(const Point& got, const Point& wanted) {
  for (size_t axis = 0; axis < 3; ++axis) EXPECT_NEAR(got[axis], wanted[axis], 1e-6) << "axis " << axis;
}

TEST(KnownMeshes, JoinedMeshesKeepTheirTrianglesAndMaterials) {
  auto plain = std::make_shared<Mesh>();
  plain->name = "plain";
  plain->positions = {{5, 0, 0}, {6, 0, 0}, {5, 1, -2}};
  plain->normals.assign(3, {0, 1, 0});
  plain->colours.assign(3, {0.5f, 0, 0});
  plain->triangles = {{0, 1, 2}};
  plain->parts = {{0, 1, nullptr, {0, 0, 1, 1}}};
  plain->bounds_min = {5, 0, -2};
  plain->bounds_max = {6, 1, 0};
  plain->warnings = {"no uvs"};
  const auto first = example_mesh();
  const auto joined = mesh_of("join_meshes", {{"a", first}, {"b", std::shared_ptr<const Mesh>(plain)}});
  ASSERT_EQ(joined->positions.size(), 10u);
  EXPECT_EQ(joined->uvs.size(), 10u);
  EXPECT_EQ(joined->uvs[8], (std::array<float, 2>{0, 0}));
  EXPECT_EQ(joined->colours.size(), 10u);
  EXPECT_EQ(joined->colours[0], (Point{1, 1, 1}));
  EXPECT_EQ(joined->colours[9], (Point{0.5f, 0, 0}));
  EXPECT_EQ(joined->normals[7], (Point{0, 1, 0}));
  ASSERT_EQ(joined->triangles.size(), 4u);
  EXPECT_EQ(joined->triangles[2], first->triangles[2]);
  EXPECT_EQ(joined->triangles[3], (std::array<uint32_t, 3>{7, 8, 9}));
  ASSERT_EQ(joined->parts.size(), 3u);
  EXPECT_EQ(joined->parts[0].texture, first->parts[0].texture);
  EXPECT_EQ(joined->parts[2].first_triangle, 3u);
  EXPECT_EQ(joined->parts[2].triangle_count, 1u);
  EXPECT_EQ(joined->bounds_min, (Point{-1, -1, -2}));
  EXPECT_EQ(joined->bounds_max, (Point{6, 1, 1.5f}));
  EXPECT_THAT(joined->warnings, ::testing::ElementsAre("no uvs"));
}

TEST(KnownMeshes, ScaledThenTurnedThenMoved) {
  const auto mesh = mesh_of("transform_mesh", {{"mesh", example_mesh()}},
                            {{"move", std::vector<double>{10, 0, 0}},
                             {"rotate", std::vector<double>{90, 0, 90}},
                             {"scale", std::vector<double>{2, 1, 1}}});
  // (1, -1, 0) → (2, -1, 0) → about x by 90°: (2, 0, -1) → about z by 90°: (0, 2, -1) → (10, 2, -1).
  expect_near(mesh->positions[1], {10, 2, -1});
  // z → about x: -y → about z: x.
  expect_near(mesh->normals[0], {1, 0, 0});
  EXPECT_EQ(mesh->triangles, example_mesh()->triangles);
  expect_near(mesh->bounds_min, {10, -2, -1});
  expect_near(mesh->bounds_max, {11.5, 2, 1});
}

TEST(KnownMeshes, NormalsStayAtRightAnglesUnderUnevenScales) {
  auto slope = std::make_shared<Mesh>(*example_mesh());
  const float half = std::sqrt(0.5f);
  slope->positions = {{0, 0, 0}, {1, -1, 0}, {0, 0, 1}};
  slope->normals.assign(3, {half, half, 0});
  slope->triangles = {{0, 1, 2}};
  const auto mesh = mesh_of("transform_mesh", {{"mesh", std::shared_ptr<const Mesh>(slope)}},
                            {{"scale", std::vector<double>{3, 1, 1}}});
  const Point n = mesh->normals[0], edge = mesh->positions[1];
  EXPECT_NEAR(n[0] * edge[0] + n[1] * edge[1] + n[2] * edge[2], 0, 1e-6);
  EXPECT_NEAR(std::hypot(n[0], n[1], n[2]), 1, 1e-6);
}

TEST(KnownMeshes, AMirroredMeshStillFacesOutwards) {
  const auto mesh = mesh_of("transform_mesh", {{"mesh", example_mesh()}}, {{"scale", std::vector<double>{-1, 1, 1}}});
  EXPECT_EQ(mesh->triangles[0], (std::array<uint32_t, 3>{0, 2, 1}));
  expect_near(mesh->normals[0], {0, 0, 1});
}

TEST(KnownMeshes, AScaleOfZeroIsRefused) {
  const auto shapes = test::shapes_of("transform_mesh", {{"mesh", WireType{.kind = Kind::mesh}}},
                                      {{"scale", std::vector<double>{1, 0, 1}}});
  ASSERT_FALSE(shapes);
  EXPECT_EQ(shapes.error().code, codes::bad_parameter);
  EXPECT_EQ(shapes.error().where, "scale");
}

}  // namespace
}  // namespace hw
