// Models far from the origin: what is taken off, in each format that holds more than f32, and how it is put back.
#include "engine/io/mesh/far_positions.h"

#include <gmock/gmock.h>

#include <cmath>
#include <cstring>
#include <set>

#include "tests/engine/io_temp.h"
#include "tests/engine/load_mesh.h"

namespace hw {
namespace {

using test::TempFolder;
using ::testing::HasSubstr;

TEST(OriginToTake, OnlyWhereF32HasFewBitsLeft) {
  const auto of = [](Point low, Point high) { return origin_to_take({low, high}); };
  EXPECT_EQ(of({-1, -1, -1}, {1, 1, 1}), Point());
  EXPECT_EQ(of({63, 0, 0}, {64, 1, 1}), Point());
  EXPECT_EQ(of({64, 0, 0}, {65, 1, 1}), Point({65, 1, 1})) << "half-way is rounded away from 0";
  EXPECT_EQ(of({500'000, 6'280'752.8, 10}, {500'100, 6'280'840, 20}), Point({500'100, 6'280'800, 0}));
  EXPECT_EQ(of({6'280'752.8, 0, 0}, {6'280'754.8, 2, 0}), Point({6'280'754, 1, 0}));
  EXPECT_EQ(of({5, 5, 5}, {5, 5, 5}), Point()) << "a point";
  EXPECT_EQ(origin_to_take(SpaceBox()), Point());
  const Point tiny = of({6'280'752.8, 0, 0}, {6'280'752.801, 0, 0});
  EXPECT_EQ(tiny[0], static_cast<float>(tiny[0])) << "any program's f32 holds it";
}

/// 21 rows of two points, 0.1 apart, at y = 6,280,752.8, and the triangles between them.
struct Strip {
  std::vector<Point> points;
  Strip() {
    for (int row = 0; row < 21; ++row)
      for (int x = 0; x < 2; ++x) points.push_back({500'000.25 + x, 6'280'752.8 + 0.1 * row, 12});
  }
  static std::array<int, 3> triangle(int i) {
    return i % 2 ? std::array{i, i + 1, i + 2} : std::array{i, i + 2, i + 1};
  }
  static constexpr int kTriangles = 40;
};

std::string digits(const Point& p) {
  char text[100];
  std::snprintf(text, sizeof text, "%.17g %.17g %.17g", p[0], p[1], p[2]);
  return text;
}

std::string obj(const Strip& strip) {
  std::string text = "# a strip\n";
  for (const Point& p : strip.points) text += "v  " + digits(p) + "\r\n";
  for (int i = 0; i < Strip::kTriangles; ++i) {
    text += "f";
    for (const int k : Strip::triangle(i)) text += " " + std::to_string(k + 1);
    text += "\n";
  }
  return text;
}

std::string off(const Strip& strip) {
  std::string text = "OFF\n# a strip\n42 40 0\n";
  for (const Point& p : strip.points) text += digits(p) + "\n";
  for (int i = 0; i < Strip::kTriangles; ++i) {
    text += "3";
    for (const int k : Strip::triangle(i)) text += " " + std::to_string(k);
    text += "\n";
  }
  return text;
}

std::string stl(const Strip& strip) {
  std::string text = "solid strip\n";
  for (int i = 0; i < Strip::kTriangles; ++i) {
    text += "facet normal 0 0 1\n outer loop\n";
    for (const int k : Strip::triangle(i)) text += "  vertex " + digits(strip.points[static_cast<size_t>(k)]) + "\n";
    text += " endloop\nendfacet\n";
  }
  return text + "endsolid strip\n";
}

std::string ply(const Strip& strip, const std::string& format) {
  const bool text = format == "ascii", big = format == "binary_big_endian";
  std::string out = "ply\nformat " + format +
                    " 1.0\nelement vertex 42\nproperty uchar mark\nproperty double x\nproperty double y\n"
                    "property double z\nelement face 40\nproperty list uchar int vertex_indices\nend_header\n";
  const auto put = [&](auto value) {
    std::array<char, sizeof value> raw;
    std::memcpy(raw.data(), &value, sizeof value);
    if (big) std::reverse(raw.begin(), raw.end());
    out.append(raw.data(), raw.size());
  };
  for (const Point& p : strip.points) {
    if (text) {
      out += "7 " + digits(p) + "\n";
      continue;
    }
    put(uint8_t{7});
    for (const double x : p) put(x);
  }
  for (int i = 0; i < Strip::kTriangles; ++i) {
    if (text)
      out += "3";
    else
      put(uint8_t{3});
    for (const int k : Strip::triangle(i)) {
      if (text)
        out += " " + std::to_string(k);
      else
        put(int32_t{k});
    }
    if (text) out += "\n";
  }
  return out;
}

TEST(FarModels, AreReadInF64InEveryFormatThatHasIt) {
  const TempFolder folder;
  const Strip strip;
  const std::pair<const char*, std::string> files[] = {{"a.obj", obj(strip)},
                                                       {"a.off", off(strip)},
                                                       {"a.stl", stl(strip)},
                                                       {"t.ply", ply(strip, "ascii")},
                                                       {"l.ply", ply(strip, "binary_little_endian")},
                                                       {"b.ply", ply(strip, "binary_big_endian")}};
  for (const auto& [name, bytes] : files) {
    SCOPED_TRACE(name);
    test::write_bytes(folder / name, bytes);
    const auto mesh = test::load_mesh(folder / name);
    ASSERT_TRUE(mesh) << mesh.error().text();
    EXPECT_EQ((*mesh)->origin, Point({500'001, 6'280'754, 12}));
    std::set<double> rows;
    for (const auto& p : (*mesh)->positions) {
      const double y = p[1] + (*mesh)->origin[1];
      rows.insert(std::round(y * 1000) / 1000);
      double nearest = 1;
      for (const Point& q : strip.points) nearest = std::min(nearest, std::abs(y - q[1]));
      EXPECT_LT(nearest, 1e-6);
    }
    EXPECT_EQ(rows.size(), 21u);
    EXPECT_THAT((*mesh)->notes, ::testing::Contains(HasSubstr("(500001, 6280754, 12) is taken off")));
    EXPECT_THAT((*mesh)->warnings, ::testing::Not(::testing::Contains(HasSubstr("in steps of"))));
  }
}

TEST(FarModels, OfAFormatInF32SayTheStep) {
  const TempFolder folder;
  const Strip strip;
  std::string bytes(80, ' ');  // a binary .stl
  const auto put = [&](auto value) { bytes.append(reinterpret_cast<const char*>(&value), sizeof value); };
  put(uint32_t{Strip::kTriangles});
  for (int i = 0; i < Strip::kTriangles; ++i) {
    for (const float n : {0.f, 0.f, 1.f}) put(n);
    for (const int k : Strip::triangle(i))
      for (const double x : strip.points[static_cast<size_t>(k)]) put(static_cast<float>(x));
    put(uint16_t{0});
  }
  test::write_bytes(folder / "a.stl", bytes);
  const auto mesh = test::load_mesh(folder / "a.stl");
  ASSERT_TRUE(mesh) << mesh.error().text();
  EXPECT_THAT((*mesh)->warnings, ::testing::Contains(HasSubstr("in steps of 0.5 (f32)")));
  EXPECT_NE((*mesh)->origin, Point());
}

TEST(FarModels, NearOnesAreLeftAlone) {
  const TempFolder folder;
  test::write_bytes(folder / "a.obj", "v 0 0 0\nv 1000 0 0\nv 0 1 0\nf 1 2 3\n");
  EXPECT_FALSE(bring_near(folder / "a.obj"));
  test::write_bytes(folder / "a.obj", "v 1e6 0 0\nv 1000001 0 zero\nf 1 2 3\n");
  EXPECT_FALSE(bring_near(folder / "a.obj")) << "not as its format says";
  test::write_bytes(folder / "a.ply", "ply\nformat ascii 1.0\nelement vertex 100000000\nend_header\n");
  EXPECT_FALSE(bring_near(folder / "a.ply"));
}

TEST(FarModels, ComeBackWhereTheyWere) {
  const Strip strip;
  const TempFolder folder;
  test::write_bytes(folder / "a.obj", obj(strip));
  const auto near = bring_near(folder / "a.obj");
  ASSERT_TRUE(near);
  EXPECT_THAT(near->bytes, HasSubstr("v  -0.75 -1.2 0\r\n"));
  const std::string back = put_back(near->bytes, near->origin);
  EXPECT_THAT(back, HasSubstr("v  500000.25 6280752.8 12\r\n"));
  EXPECT_THAT(back, HasSubstr("v  500001.25 6280754.8 12\r\n"));
}

}  // namespace
}  // namespace hw
