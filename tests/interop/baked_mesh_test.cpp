// Baked meshes, read by tinygltf and tinyobjloader: the picture they find on the surface is the field.
#include <gtest/gtest.h>
#include <tiny_gltf.h>
#include <tiny_obj_loader.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

#include "engine/bake/bake.h"
#include "engine/io/asset/assets.h"
#include "engine/io/media/image_file.h"
#include "engine/io/mesh/mesh_export.h"
#include "tests/engine/io_temp.h"
#include "tests/engine/load_mesh.h"

namespace hw {
namespace {

using Float2 = std::array<float, 2>;
using Float3 = std::array<float, 3>;

constexpr double kPi = 3.14159265358979;

/// A torus around the y axis, smooth, with coordinates of its own or none, in two parts of different base colours.
Mesh torus(bool with_uvs, int rings = 24, int sides = 16) {
  Mesh mesh;
  mesh.name = "torus";
  for (int i = 0; i <= rings; ++i)
    for (int k = 0; k <= sides; ++k) {
      const double a = 2 * kPi * i / rings, b = 2 * kPi * k / sides;
      const Float3 n{float(std::cos(a) * std::cos(b)), float(std::sin(b)), float(std::sin(a) * std::cos(b))};
      mesh.normals.push_back(n);
      mesh.positions.push_back({float(std::cos(a)) + 0.4f * n[0], 0.4f * n[1], float(std::sin(a)) + 0.4f * n[2]});
      if (with_uvs)
        mesh.uvs.push_back({0.02f + 0.9f * float(i) / float(rings), 0.05f + 0.8f * float(k) / float(sides)});
    }
  const auto at = [&](int i, int k) { return static_cast<uint32_t>(i * (sides + 1) + k); };
  for (int i = 0; i < rings; ++i)
    for (int k = 0; k < sides; ++k) {
      mesh.triangles.push_back({at(i, k), at(i, k + 1), at(i + 1, k)});
      mesh.triangles.push_back({at(i + 1, k), at(i, k + 1), at(i + 1, k + 1)});
    }
  const auto half = static_cast<uint32_t>(mesh.triangles.size() / 2);
  mesh.parts = {{0, half, nullptr, {0.2f, 0.3f, 0.4f, 1}}, {half, half, nullptr, {0.5f, 0.6f, 0.7f, 1}}};
  mesh.bounds_min = {-1.4f, -0.4f, -1.4f};
  mesh.bounds_max = {1.4f, 0.4f, 1.4f};
  return mesh;
}

Float3 color_at(const Float3& p) {
  return {float(0.5 + 0.5 * std::sin(5 * p[0])), float(0.5 + 0.5 * std::cos(4 * p[1])), float(0.5 + 0.4 * p[2] / 1.4)};
}

const ColorField kField = [](auto positions, auto) -> Result<std::vector<Float3>> {
  std::vector<Float3> colors;
  for (const Float3& p : positions) colors.push_back(color_at(p));
  return colors;
};

/// What another program has read: corners of triangles, and the picture; `v_down`: row 0 lies at v = 0.
struct Reading {
  std::vector<Float3> positions;  // three a triangle
  std::vector<Float2> uvs;
  int width = 0, height = 0;
  std::vector<uint8_t> rgba;
  bool v_down = false;
};

Float3 bilinear(const Reading& r, const Float2& uv) {
  const double x = uv[0] * r.width - 0.5, y = (r.v_down ? uv[1] : 1 - uv[1]) * r.height - 0.5;
  const int x0 = static_cast<int>(std::floor(x)), y0 = static_cast<int>(std::floor(y));
  Float3 out{};
  for (int j = 0; j < 2; ++j)
    for (int i = 0; i < 2; ++i) {
      const double weight = (i ? x - x0 : 1 - (x - x0)) * (j ? y - y0 : 1 - (y - y0));
      const int tx = (x0 + i + r.width) % r.width, ty = (y0 + j + r.height) % r.height;
      for (size_t c = 0; c < 3; ++c)
        out[c] += static_cast<float>(weight * r.rgba[(static_cast<size_t>(ty) * r.width + tx) * 4 + c] / 255.0);
    }
  return out;
}

/// The picture found at points all over the surface, against the field there; dB, peak 1.
double psnr_on_surface(const Reading& r) {
  double sum = 0;
  size_t count = 0;
  for (size_t t = 0; t + 2 < r.positions.size(); t += 3)
    for (int i = 0; i <= 6; ++i)
      for (int k = 0; i + k <= 6; ++k, ++count) {
        const float w[3] = {float(i) / 6, float(k) / 6, float(6 - i - k) / 6};
        Float3 p{};
        Float2 uv{};
        for (size_t c = 0; c < 3; ++c) {
          for (size_t a = 0; a < 3; ++a) p[a] += w[c] * r.positions[t + c][a];
          for (size_t a = 0; a < 2; ++a) uv[a] += w[c] * r.uvs[t + c][a];
        }
        const Float3 seen = bilinear(r, uv), wanted = color_at(p);
        for (size_t c = 0; c < 3; ++c) sum += (double{seen[c]} - wanted[c]) * (double{seen[c]} - wanted[c]) / 3;
      }
  return -10 * std::log10(sum / static_cast<double>(count));
}

/// A vertex attribute or index, with every bound of view and buffer checked.
template <class T>
std::vector<T> read_accessor(const tinygltf::Model& model, int index) {
  const tinygltf::Accessor& a = model.accessors.at(static_cast<size_t>(index));
  const tinygltf::BufferView& view = model.bufferViews.at(static_cast<size_t>(a.bufferView));
  const auto& bytes = model.buffers.at(static_cast<size_t>(view.buffer)).data;
  const auto stride = static_cast<size_t>(a.ByteStride(view));
  EXPECT_EQ(static_cast<size_t>(tinygltf::GetComponentSizeInBytes(static_cast<uint32_t>(a.componentType)) *
                                tinygltf::GetNumComponentsInType(static_cast<uint32_t>(a.type))),
            sizeof(T));
  std::vector<T> out(a.count);
  for (size_t i = 0; i < a.count; ++i) {
    const size_t at = a.byteOffset + i * stride;
    EXPECT_LE(at + sizeof(T), view.byteLength);
    EXPECT_LE(view.byteOffset + at + sizeof(T), bytes.size());
    std::memcpy(&out[i], bytes.data() + view.byteOffset + at, sizeof(T));
  }
  return out;
}

Reading read_glb(const std::filesystem::path& file, const Mesh& mesh) {
  tinygltf::Model model;
  std::string error, warning;
  EXPECT_TRUE(tinygltf::TinyGLTF().LoadBinaryFromFile(&model, &error, &warning, file.string())) << error;
  EXPECT_EQ(error + warning, "");
  Reading out;
  out.v_down = true;
  std::set<int> pictures;
  for (const tinygltf::Mesh& part : model.meshes)
    for (const tinygltf::Primitive& primitive : part.primitives) {
      EXPECT_EQ(part.name.rfind(mesh.name, 0), 0u) << part.name;
      const auto positions = read_accessor<Float3>(model, primitive.attributes.at("POSITION"));
      const auto uvs = read_accessor<Float2>(model, primitive.attributes.at("TEXCOORD_0"));
      EXPECT_EQ(read_accessor<Float3>(model, primitive.attributes.at("NORMAL")).size(), positions.size());
      const auto add = [&](uint32_t i) {
        out.positions.push_back(positions.at(i));
        out.uvs.push_back(uvs.at(i));
      };
      if (model.accessors[static_cast<size_t>(primitive.indices)].componentType ==
          TINYGLTF_COMPONENT_TYPE_UNSIGNED_SHORT)
        for (const uint16_t i : read_accessor<uint16_t>(model, primitive.indices)) add(i);
      else
        for (const uint32_t i : read_accessor<uint32_t>(model, primitive.indices)) add(i);
      const tinygltf::Material& material = model.materials.at(static_cast<size_t>(primitive.material));
      EXPECT_EQ(material.name.rfind(mesh.name, 0), 0u) << material.name;
      EXPECT_EQ(material.pbrMetallicRoughness.baseColorFactor, (std::vector<double>{1, 1, 1, 1}));
      EXPECT_EQ(material.pbrMetallicRoughness.metallicFactor, 0);
      const int texture = material.pbrMetallicRoughness.baseColorTexture.index;
      pictures.insert(model.textures.at(static_cast<size_t>(texture)).source);
    }
  EXPECT_EQ(pictures.size(), 1u) << "the parts share one picture";
  const tinygltf::Image& image = model.images.at(static_cast<size_t>(*pictures.begin()));
  EXPECT_GE(image.bufferView, 0) << "the picture is inside the file";
  EXPECT_EQ(image.component, 4);
  out.width = image.width;
  out.height = image.height;
  out.rgba = image.image;
  return out;
}

Reading read_obj(const std::filesystem::path& file) {
  tinyobj::ObjReader reader;
  EXPECT_TRUE(reader.ParseFromFile(file.string())) << reader.Error();
  EXPECT_EQ(reader.Error() + reader.Warning(), "");
  Reading out;
  const tinyobj::attrib_t& a = reader.GetAttrib();
  std::set<std::string> pictures;
  for (const tinyobj::shape_t& shape : reader.GetShapes()) {
    for (const tinyobj::index_t& i : shape.mesh.indices) {
      const auto v = static_cast<size_t>(i.vertex_index) * 3, t = static_cast<size_t>(i.texcoord_index) * 2;
      out.positions.push_back({a.vertices.at(v), a.vertices.at(v + 1), a.vertices.at(v + 2)});
      out.uvs.push_back({a.texcoords.at(t), a.texcoords.at(t + 1)});
    }
    for (const int m : shape.mesh.material_ids) {
      const tinyobj::material_t& material = reader.GetMaterials().at(static_cast<size_t>(m));
      EXPECT_EQ(material.diffuse[0], 1);
      pictures.insert(material.diffuse_texname);
    }
  }
  EXPECT_EQ(pictures, std::set<std::string>{file.stem().string() + ".png"});
  const auto image = load_image(file.parent_path() / *pictures.begin());
  EXPECT_TRUE(image) << image.error().text();
  out.width = image->width;
  out.height = image->height;
  out.rgba = image->rgba;
  return out;
}

std::multiset<Float3> corners(const Mesh& mesh) {
  std::multiset<Float3> out;
  for (const auto& t : mesh.triangles)
    for (const uint32_t v : t) out.insert(mesh.positions[v]);
  return out;
}

class BakedMesh : public testing::TestWithParam<bool> {};

TEST_P(BakedMesh, OthersFindTheFieldOnTheSurface) {
  const test::TempFolder folder;
  const Mesh mesh = torus(GetParam());
  BakeOptions options;
  options.size = 256;
  const auto baked = bake_field(mesh, kField, options);
  ASSERT_TRUE(baked) << baked.error().text();
  EXPECT_EQ(baked->unwrapped, !GetParam());
  EXPECT_EQ(baked->textures, 1);
  for (const char* name : {"out.glb", "out.obj"}) {
    const Status saved = save_mesh(*baked->mesh, folder / name);
    ASSERT_TRUE(saved) << saved.error().text();
    const bool glb = std::strcmp(name, "out.glb") == 0;
    const Reading r = glb ? read_glb(folder / name, mesh) : read_obj(folder / name);
    ASSERT_EQ(r.width, 256);
    EXPECT_EQ(std::multiset<Float3>(r.positions.begin(), r.positions.end()), corners(mesh)) << "to the bit";
    const double db = psnr_on_surface(r);
    std::printf("%s, %s: %.1f dB\n", name, GetParam() ? "own uvs" : "new uvs", db);
    EXPECT_GT(db, 40);
    Reading flipped = r;
    flipped.v_down = !flipped.v_down;
    EXPECT_LT(psnr_on_surface(flipped), 25) << "the test would notice v upside down";

    const auto again = test::load_mesh(folder / name);
    ASSERT_TRUE(again) << again.error().text();
    if (glb) {
      EXPECT_EQ(corners(**again), corners(mesh));
    }
    EXPECT_EQ((*again)->triangles.size(), mesh.triangles.size());
    ASSERT_EQ((*again)->parts.size(), 2u);
    for (const float channel : (*again)->parts[0].base_color) EXPECT_NEAR(channel, 1, 1e-6);
    EXPECT_EQ((*again)->parts[0].texture->rgba, baked->mesh->parts[0].texture->rgba);
  }
  EXPECT_EQ(folder.count(), 4u) << "glb, obj, mtl, png";
}
INSTANTIATE_TEST_SUITE_P(Uvs, BakedMesh, testing::Bool());

TEST(SaveMesh, NamesWhatItCannotDo) {
  const test::TempFolder folder;
  const auto ending = save_mesh(torus(true), folder / "a.stl");
  ASSERT_FALSE(ending);
  EXPECT_EQ(ending.error().code, "HW-F002");
  const auto nowhere = save_mesh(torus(true), folder / "no" / "a.glb");
  ASSERT_FALSE(nowhere);
  EXPECT_EQ(nowhere.error().code, "HW-F002");
  EXPECT_EQ(folder.count(), 0u);
}

TEST(SaveMesh, ReplacesBesideAnObjOnlyWhatItWrote) {
  const test::TempFolder folder;
  BakeOptions options;
  options.size = 16;
  const auto baked = bake_field(torus(true), kField, options);
  ASSERT_TRUE(baked) << baked.error().text();
  const auto refused = [&](const std::string& neighbour) {
    const Status saved = save_mesh(*baked->mesh, folder / "a.obj");
    ASSERT_FALSE(saved) << neighbour;
    EXPECT_EQ(saved.error().code, "HW-F002");
    EXPECT_EQ(saved.error().where, (folder / neighbour).string());
    EXPECT_FALSE(saved.error().remedy.empty());
    EXPECT_EQ(test::read_bytes(folder / neighbour), "another's");
  };
  for (const char* neighbour : {"a.mtl", "a.png"}) {
    test::write_bytes(folder / neighbour, "another's");
    refused(neighbour);
    EXPECT_EQ(folder.count(), 1u) << "nothing is written beside " << neighbour;
    std::filesystem::remove(folder / neighbour);
  }
  ASSERT_TRUE(save_mesh(*baked->mesh, folder / "a.obj"));
  EXPECT_EQ(folder.count(), 3u);
  const Status again = save_mesh(*baked->mesh, folder / "a.obj");
  EXPECT_TRUE(again) << again.error().text() << ": its own files are replaced";
  test::write_bytes(folder / "a.mtl", "another's");
  refused("a.mtl");
}

}  // namespace
}  // namespace hw
