// Assets for tests: one textured quad, its picture, a data set of bright places, whatever the path; "missing" is an
// error.
#pragma once

#include <algorithm>

#include "engine/io/dataset/hold_out.h"
#include "engine/node/node_type.h"

namespace hw::test {

/// Two triangles in z = 0 over [0, 1]², uv = xy, an 8×8 picture of smooth colour.
inline std::shared_ptr<const Mesh> textured_quad() {
  auto image = std::make_shared<Image>();
  image->width = image->height = 8;
  for (int y = 0; y < 8; ++y) {
    for (int x = 0; x < 8; ++x) {
      image->rgba.insert(image->rgba.end(), {static_cast<uint8_t>(30 * x), static_cast<uint8_t>(30 * y), 128, 255});
    }
  }
  auto mesh = std::make_shared<Mesh>();
  mesh->name = "quad";
  mesh->positions = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
  mesh->normals.assign(4, {0, 0, 1});
  mesh->uvs = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
  mesh->triangles = {{0, 1, 2}, {0, 2, 3}};
  mesh->parts.push_back({0, 2, image, {1, 1, 1, 1}});
  mesh->bounds_max = {1, 1, 0};
  return mesh;
}

class QuadAssets : public Assets {
 public:
  Result<std::shared_ptr<const Mesh>> mesh(const std::string& path) override {
    if (path == "missing")
      return Error{codes::asset_missing, "", "\"missing\" was not found.", "Choose a file that exists."};
    return textured_quad();
  }
  Result<std::shared_ptr<const Image>> image(const std::string&) override { return textured_quad()->parts[0].texture; }
  /// Eight samples of each class for training and four for testing; the label is the place of the brightest element.
  Result<std::shared_ptr<const Dataset>> dataset(const std::string& path, const DatasetSpec& spec) override {
    if (path == "missing")
      return Error{codes::asset_missing, "", "\"missing\" was not found.", "Choose a folder that exists."};
    auto data = std::make_shared<Dataset>();
    data->sample = spec.sample;
    data->classes = spec.classes;
    const int64_t size = element_count(spec.sample);
    for (const auto& [split, each] : {std::pair(&data->train, int64_t{8}), std::pair(&data->test, int64_t{4})}) {
      const int64_t count = each * std::max<int64_t>(1, spec.classes);
      Dims dims = spec.sample;
      dims.insert(dims.begin(), count);
      split->x = Tensor::zeros(DType::u8, dims);
      split->labels = Tensor::zeros(DType::i64, {count});
      for (int64_t i = 0; i < count; ++i) {
        const int64_t label = spec.classes > 0 ? i % spec.classes : 0;
        for (int64_t k = 0; k < size; ++k)
          split->x.as<uint8_t>()[i * size + k] = static_cast<uint8_t>(k == label ? 255 : (i * 7 + k * 13) % 90);
        split->labels.as<int64_t>()[i] = label;
      }
    }
    if (spec.validation > 0) HW_CHECK(hold_out(*data, spec.validation));
    return std::shared_ptr<const Dataset>(std::move(data));
  }
};

}  // namespace hw::test
