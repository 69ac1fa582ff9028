#include "engine/node/example_assets.h"

namespace hw {
namespace {

std::shared_ptr<const Mesh> make_mesh() {
  Image image{8, 8, {}};
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x)
      for (const int channel : {x * 30, y * 30, (x + y) * 15, 255}) image.rgba.push_back(static_cast<uint8_t>(channel));
  }
  Mesh mesh;
  mesh.name = "quad and triangle";
  mesh.positions = {{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1.5f}};
  mesh.normals.assign(mesh.positions.size(), {0, 0, 1});
  mesh.uvs = {{0, 0}, {1, 0}, {1, 1}, {0, 1}, {0, 0}, {1, 0}, {0, 1}};
  mesh.triangles = {{0, 1, 2}, {0, 2, 3}, {4, 5, 6}};
  mesh.parts = {{0, 2, std::make_shared<Image>(image), {1, 1, 1, 1}}, {2, 1, nullptr, {0.25f, 0.5f, 0.75f, 1}}};
  mesh.bounds_min = {-1, -1, 0};
  mesh.bounds_max = {1, 1, 1.5f};
  return std::make_shared<Mesh>(std::move(mesh));
}

}  // namespace

std::shared_ptr<const Mesh> example_mesh() {
  static const auto mesh = make_mesh();
  return mesh;
}

std::shared_ptr<const Image> example_picture() {
  Image image = *example_mesh()->parts[0].texture;
  image.height = 7;
  image.rgba.resize(8 * 7 * 4);
  return std::make_shared<Image>(std::move(image));
}

std::shared_ptr<const Dataset> example_dataset(const DatasetSpec& spec) {
  auto data = std::make_shared<Dataset>();
  data->sample = spec.sample;
  data->classes = spec.classes;
  for (const auto& [split, count] : {std::pair(&data->train, int64_t{10}), std::pair(&data->test, int64_t{6})}) {
    Dims dims = spec.sample;
    dims.insert(dims.begin(), count);
    split->x = Tensor(DType::u8, dims);
    for (int64_t i = 0; i < split->x.size(); ++i) split->x.as<uint8_t>()[i] = static_cast<uint8_t>(i * 37 + count);
    if (spec.classes == 0) continue;
    split->labels = Tensor(DType::i64, {count});
    for (int64_t i = 0; i < count; ++i) split->labels.as<int64_t>()[i] = i % spec.classes;
  }
  return data;
}

std::shared_ptr<const Dataset> example_text(int64_t length) {
  auto data = std::make_shared<Dataset>();
  data->sample = {length};
  data->classes = 7;
  for (DatasetSplit* split : {&data->train, &data->test}) {
    const int64_t stride = split == &data->train ? 1 : length, count = 10;
    auto source = std::make_shared<SplitSource>();
    source->count = count;
    source->dtype = DType::f32;
    split->x = Tensor(DType::f32, {(count - 1) * stride + length});
    source->sample_bytes = split->x.bytes();
    for (int64_t i = 0; i < split->x.size(); ++i) split->x.as<float>()[i] = static_cast<float>(i * i % data->classes);
    split->source = std::move(source);
    split->stride = stride;
  }
  return data;
}

}  // namespace hw
