// What the import child hands over is not trusted: damaged bytes give an error or a mesh whose arrays fit together.
#include "engine/io/mesh/model_bytes.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <random>

#include "engine/core/codes.h"

namespace hw::model_bytes_test {
namespace {

std::string bytes_of(const Result<Model>& outcome) {
  const int fd = ::memfd_create("test", 0);
  EXPECT_TRUE(write_model(fd, outcome));
  std::string bytes(static_cast<size_t>(::lseek(fd, 0, SEEK_END)), '\0');
  EXPECT_EQ(::pread(fd, bytes.data(), bytes.size(), 0), static_cast<ssize_t>(bytes.size()));
  ::close(fd);
  return bytes;
}

Model sample() {
  auto image = std::make_shared<Image>(Image{2, 1, {1, 2, 3, 4, 5, 6, 7, 8}});
  Mesh mesh;
  mesh.name = "quad";
  mesh.positions = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
  mesh.normals.assign(4, {0, 0, 1});
  mesh.uvs = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
  mesh.colours.assign(4, {0.5f, 0.25f, 1});
  mesh.triangles = {{0, 1, 2}, {0, 2, 3}, {1, 2, 3}};
  mesh.parts = {{0, 1, image, {1, 1, 1, 1}}, {1, 1, nullptr, {1, 0, 0, 1}}, {2, 1, image, {0, 1, 0, 1}}};
  mesh.bounds_max = {1, 1, 0};
  mesh.parts[2].wrap_u = Wrap::mirror;
  mesh.parts[2].wrap_v = Wrap::clamp;
  mesh.origin = {500'000, 6'280'752.8, 0};
  mesh.warnings = {"one", "two"};
  mesh.notes = {"three"};
  Model model{std::make_shared<Mesh>(mesh), {}};
  model.info.format = "test";
  model.info.materials = {{"a", 0, {1, 1, 1, 1}}, {"b", -1, {1, 0, 0, 1}}};
  model.info.textures = {{"t.png", ModelTexture::State::file, 2, 1, "/t.png"}};
  return model;
}

void expect_sound(const Mesh& mesh) {
  const size_t n = mesh.positions.size();
  EXPECT_EQ(mesh.normals.size(), n);
  EXPECT_TRUE(mesh.uvs.empty() || mesh.uvs.size() == n);
  EXPECT_TRUE(mesh.colours.empty() || mesh.colours.size() == n);
  for (const auto& triangle : mesh.triangles) {
    for (const uint32_t index : triangle) ASSERT_LT(index, n);
  }
  uint64_t next = 0;
  for (const MeshPart& part : mesh.parts) {
    ASSERT_EQ(part.first_triangle, next);
    next += part.triangle_count;
    if (!part.texture) continue;
    ASSERT_EQ(part.texture->rgba.size(),
              4 * static_cast<size_t>(part.texture->width) * static_cast<size_t>(part.texture->height));
  }
  EXPECT_EQ(next, mesh.triangles.size());
}

TEST(ModelBytes, ComeBackAsTheyWere) {
  const Model model = sample();
  const auto back = read_model(bytes_of(model), "f");
  ASSERT_TRUE(back) << back.error().text();
  const Mesh &a = *model.mesh, &b = *back->mesh;
  EXPECT_EQ(std::tie(a.name, a.positions, a.normals, a.uvs, a.colours, a.triangles, a.bounds_max, a.warnings, a.notes,
                     a.origin),
            std::tie(b.name, b.positions, b.normals, b.uvs, b.colours, b.triangles, b.bounds_max, b.warnings, b.notes,
                     b.origin));
  ASSERT_EQ(b.parts.size(), 3u);
  EXPECT_EQ(b.parts[0].texture, b.parts[2].texture) << "a picture is shared, not copied";
  EXPECT_EQ(b.parts[0].texture->rgba, a.parts[0].texture->rgba);
  EXPECT_FALSE(b.parts[1].texture);
  EXPECT_EQ(b.parts[0].wrap_u, Wrap::repeat);
  EXPECT_EQ(b.parts[2].wrap_u, Wrap::mirror);
  EXPECT_EQ(b.parts[2].wrap_v, Wrap::clamp);
  EXPECT_EQ(back->info.textures[0].detail, "/t.png");
  const auto error = read_model(bytes_of(Error{"HW-A002", "w", "r", "m"}), "f");
  ASSERT_FALSE(error);
  EXPECT_EQ(error.error().text(), "HW-A002 at w: r m");
}

TEST(ModelBytes, EveryCutAndTenThousandDamagesAreCaught) {
  const std::string good = bytes_of(sample());
  for (size_t n = 0; n < good.size(); ++n) {
    const auto cut = read_model(std::string_view(good).substr(0, n), "f");
    ASSERT_FALSE(cut) << n;
    EXPECT_EQ(cut.error().code, codes::asset_costly);
  }
  EXPECT_FALSE(read_model(good + "x", "f"));
  std::mt19937_64 random(7);
  int read = 0, refused = 0;
  for (int i = 0; i < 10'000; ++i) {
    std::string bytes = good;
    const uint64_t values[] = {0, 1, ~0ull, 1ull << 31, 1ull << 32, 1ull << 62, random()};
    const uint64_t value = values[random() % 7];
    const size_t size = size_t{1} << (random() % 4), at = random() % (bytes.size() - size);
    std::memcpy(bytes.data() + at, &value, size);
    const auto model = read_model(bytes, "f");
    ++(model ? read : refused);
    if (model) expect_sound(*model->mesh);
  }
  std::printf("damaged bytes: %d read, %d refused\n", read, refused);
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace hw::model_bytes_test
