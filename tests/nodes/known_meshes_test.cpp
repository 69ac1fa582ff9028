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

/// The example, of which `origin` is taken off.
std::shared_ptr<const Mesh> example_at(std::array<double, 3> origin) {
  auto mesh = std::make_shared<Mesh>(*example_mesh());
  mesh->origin = origin;
  return mesh;
}

/// Where the file has a position.
std::array<double, 3> place(const Mesh& mesh, size_t i) {
  const Point& p = mesh.positions.at(i);
  return {p[0] + mesh.origin[0], p[1] + mesh.origin[1], p[2] + mesh.origin[2]};
}

TEST(KnownMeshes, JoinedMeshesLieWhereEachLay) {
  constexpr double kFar = 6280752.8;
  const size_t count = example_mesh()->positions.size();
  auto wide = std::make_shared<Mesh>(*example_mesh());
  for (Point& p : wide->positions) p[0] *= 1e7f;
  wide->bounds_min[0] *= 1e7f;
  wide->bounds_max[0] *= 1e7f;
  const auto far = example_at({0, kFar, 0}), beside = example_at({0, kFar + 10, 3});
  using Pair = std::pair<std::shared_ptr<const Mesh>, std::shared_ptr<const Mesh>>;
  for (const auto& [a, b] : {Pair{far, beside}, Pair{beside, far}, Pair{wide, far}, Pair{far, wide}}) {
    const auto joined = mesh_of("join_meshes", {{"a", a}, {"b", b}});
    for (size_t i = 0; i < count; ++i) {
      for (size_t axis = 0; axis < 3; ++axis) {
        // The wide mesh has a step of f32 of its own.
        EXPECT_NEAR(place(*joined, i)[axis], place(*a, i)[axis], a == wide ? 1 : 1e-6) << i;
        EXPECT_NEAR(place(*joined, count + i)[axis], place(*b, i)[axis], b == wide ? 1 : 1e-6) << i;
      }
    }
    for (size_t axis = 0; axis < 3; ++axis) {
      float low = joined->positions[0][axis];
      for (const Point& p : joined->positions) low = std::min(low, p[axis]);
      EXPECT_EQ(joined->bounds_min[axis], low);
    }
  }
}

// Steps of half a unit in f32: one of the two would be lost.
TEST(KnownMeshes, MeshesTooFarApartAreNotJoined) {
  const NodeType& type = *Registry::instance().find("join_meshes");
  const Params params(type.decl, {});
  ExampleAssets assets;
  const auto far = example_at({0, 6280752.8, 0}), near = example_mesh();
  for (const bool far_first : {false, true}) {
    Program program;
    OpBuilder b(program);
    type.lower(b, LowerArgs(params, {{"a", far_first ? far : near}, {"b", far_first ? near : far}}, assets));
    ASSERT_FALSE(b.status());
    EXPECT_EQ(b.status().error().code, codes::asset_lacks);
    EXPECT_THAT(b.status().error().remedy, ::testing::HasSubstr("Transform Mesh"));
  }
  // A small part of a wide mesh counts.
  auto wide = std::make_shared<Mesh>(*example_mesh());
  for (Point& p : wide->positions) p[0] = p[0] * 1e5f + 2e5f;
  const auto both = mesh_of("join_meshes", {{"a", near}, {"b", std::shared_ptr<const Mesh>(wide)}});
  for (const bool far_first : {false, true}) {
    Program program;
    OpBuilder b(program);
    const auto third = example_at({0, 1e7, 0});
    type.lower(b, LowerArgs(params, {{"a", far_first ? third : both}, {"b", far_first ? both : third}}, assets));
    EXPECT_FALSE(b.status()) << far_first;
  }
  // As the remedy says.
  const auto moved = mesh_of("transform_mesh", {{"mesh", far}}, {{"move", std::vector<double>{5, -6280752.8, 0}}});
  EXPECT_EQ(moved->origin, (std::array<double, 3>{}));
  const auto joined = mesh_of("join_meshes", {{"a", near}, {"b", moved}});
  EXPECT_EQ(joined->positions[near->positions.size()], (Point{near->positions[0][0] + 5, near->positions[0][1], 0}));
}

TEST(KnownMeshes, AMeshThatIsMovedFarKeepsItsShape) {
  const auto near = example_mesh();
  const auto at = [&](double x) {
    return mesh_of("transform_mesh", {{"mesh", near}}, {{"move", std::vector<double>{x, 0, 0}}});
  };
  EXPECT_EQ(at(100)->origin, (std::array<double, 3>{})) << "fields see the positions";
  const auto far = at(6280752.8);
  EXPECT_NE(far->origin, (std::array<double, 3>{}));
  for (size_t i = 0; i < near->positions.size(); ++i)
    EXPECT_NEAR(place(*far, i)[0], near->positions[i][0] + 6280752.8, 1e-6);
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
