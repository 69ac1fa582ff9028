// The neural texture that Halfwire is measured by: a hash grid and an MLP learn the colour of a textured mesh.
#pragma once

#include <cmath>
#include <memory>

#include "engine/program/adjoint.h"
#include "engine/program/builder.h"

namespace hw::bench {

/// A bumpy sphere of 2 · stacks · slices triangles with a procedural texture of side × side texels.
inline std::shared_ptr<const Mesh> textured_sphere(int stacks, int slices, int side) {
  auto mesh = std::make_shared<Mesh>();
  mesh->name = "sphere";
  const float pi = 3.14159265f;
  for (int i = 0; i <= stacks; ++i)
    for (int j = 0; j <= slices; ++j) {
      const float v = static_cast<float>(i) / static_cast<float>(stacks);
      const float u = static_cast<float>(j) / static_cast<float>(slices);
      const float theta = v * pi, phi = u * 2 * pi, r = 1.0f + 0.1f * std::sin(6 * phi) * std::sin(5 * theta);
      const std::array<float, 3> n{std::sin(theta) * std::cos(phi), std::cos(theta), std::sin(theta) * std::sin(phi)};
      mesh->positions.push_back({r * n[0], r * n[1], r * n[2]});
      mesh->normals.push_back(n);
      mesh->uvs.push_back({u, 1 - v});
    }
  const auto at = [&](int i, int j) { return static_cast<uint32_t>(i * (slices + 1) + j); };
  for (int i = 0; i < stacks; ++i)
    for (int j = 0; j < slices; ++j) {
      mesh->triangles.push_back({at(i, j), at(i, j + 1), at(i + 1, j)});
      mesh->triangles.push_back({at(i + 1, j), at(i, j + 1), at(i + 1, j + 1)});
    }
  auto image = std::make_shared<Image>();
  image->width = image->height = side;
  for (int y = 0; y < side; ++y)
    for (int x = 0; x < side; ++x) {
      const bool check = ((x * 16 / side) + (y * 16 / side)) % 2 == 0;
      image->rgba.push_back(static_cast<uint8_t>(check ? 200 : x * 255 / side));
      image->rgba.push_back(static_cast<uint8_t>(y * 255 / side));
      image->rgba.push_back(static_cast<uint8_t>(check ? 30 : (x ^ y) & 255));
      image->rgba.push_back(255);
    }
  MeshPart part;
  part.triangle_count = static_cast<uint32_t>(mesh->triangles.size());
  part.texture = image;
  part.base_color = {1, 1, 1, 1};
  mesh->parts.push_back(part);
  mesh->bounds_min = {-1.1f, -1.1f, -1.1f};
  mesh->bounds_max = {1.1f, 1.1f, 1.1f};
  return mesh;
}

struct NeuralTexture {
  std::shared_ptr<Program> program;
  Val position, encoded, colour, loss;
  Val table_gradient, touched;
  std::unordered_map<ValueId, ValueId> gradients;
  std::unordered_map<ValueId, double> unscale;
  int64_t points = 0;
};

struct NeuralTextureOptions {
  int64_t points = 1 << 16;
  int levels = 16;
  int log2_table = 19;
  double per_level_scale = 1.4472692012786865;
  DType table = DType::f16;
  DType mlp = DType::f32;
  double gradient_scale = 128;
};

/// Mean squared error of t.colour, its adjoint, and Adam on every parameter.
inline void train_with_adam(OpBuilder& b, NeuralTexture& t, Val target) {
  b.set_node("loss");
  const Val difference = b.sub(t.colour, target);
  t.loss = b.mean(b.mul(difference, difference));
  auto gradients = build_adjoint(b, t.loss);
  if (!gradients) return;
  for (const auto& [value, gradient] : gradients->of) t.gradients[value] = gradient.id;
  t.unscale = gradients->unscale;
  b.set_node("train");
  b.set_update(true);
  for (const Param& param : std::vector<Param>(t.program->params)) {
    const Value master = (*t.program)[param.master];
    std::vector<Val> in{Val{param.view}, Val{param.master}, b.state(param.name + "#m", master.dtype, master.dims),
                        b.state(param.name + "#v", master.dtype, master.dims)};
    const Val gradient = gradients->of.at(param.view);
    UpdateAttr attr;
    attr.beta2 = 0.99;
    attr.epsilon = 1e-15;
    attr.unscale = gradients->unscale.at(param.view);
    if (const auto touched = gradients->touched.find(param.view); touched != gradients->touched.end()) {
      attr.has_touched = true;
      t.table_gradient = gradient;
      t.touched = touched->second;
      in.insert(in.end(),
                {b.state(param.name + "#t", DType::u8, {2 * element_count(master.dims)}), gradient, t.touched});
    } else {
      in.push_back(gradient);
    }
    b.emit(Op::adam_update, in, attr);
  }
  t.program->outputs.push_back({"loss", t.loss.id});
}

/// sample → normalise → hash grid → gradient scale → cast → MLP 32-32-32-3 → sigmoid → MSE → adjoint → Adam.
inline NeuralTexture neural_texture(const NeuralTextureOptions& o, std::shared_ptr<const Mesh> mesh) {
  NeuralTexture t;
  t.points = o.points;
  t.program = std::make_shared<Program>();
  OpBuilder b(*t.program);
  b.set_node("sampler");
  const OpBuilder::Surface surface = b.sample_surface(mesh, o.points);
  b.set_node("normalise");
  std::vector<double> factor, offset;
  for (size_t d = 0; d < 3; ++d) {
    factor.push_back(1 / (static_cast<double>(mesh->bounds_max[d]) - static_cast<double>(mesh->bounds_min[d])));
    offset.push_back(-static_cast<double>(mesh->bounds_min[d]) * factor.back());
  }
  t.position = b.clamp(b.affine(surface.position, factor, offset), 0, 1);
  b.set_node("encoder");
  const HashGridAttr grid = make_hash_grid(3, o.levels, 2, o.log2_table, 16, o.per_level_scale, false);
  const Val table = b.param("table", o.table, {grid.table_entries(), 2}, {Init::Kind::uniform, 1e-4, 0});
  t.encoded = b.hash_grid(t.position, table, grid);
  b.set_node("mlp");
  Val x = b.cast(b.gradient_scale(t.encoded, o.gradient_scale, true), o.mlp);
  int64_t width = 2 * o.levels;
  for (int layer = 0; layer < 3; ++layer) {
    const int64_t out = layer == 2 ? 3 : 32;
    const double bound = std::sqrt(6.0 / static_cast<double>(width));
    const Val w = b.param("w" + std::to_string(layer), o.mlp, {out, width}, {Init::Kind::uniform, bound, 0});
    x = b.matmul(x, w, true);
    if (layer < 2) x = b.relu(x);
    width = out;
  }
  t.colour = b.sigmoid(b.cast(x, DType::f32));
  train_with_adam(b, t, surface.colour);
  return t;
}

}  // namespace hw::bench
