#include "tests/failures/graphs.h"

#include "engine/core/same_bits.h"
#include "engine/io/media/image_file.h"
#include "tests/engine/graph_builder.h"

namespace hw::test {

const Image& picture_pixels() {
  static const Image image = [] {
    Image made;
    made.width = 16;
    made.height = 12;
    for (int i = 0; i < made.width * made.height; ++i)
      made.rgba.insert(made.rgba.end(), {static_cast<uint8_t>(3 * i), static_cast<uint8_t>(7 * i), 90, 255});
    return made;
  }();
  return image;
}

void write_picture(const std::filesystem::path& file) {
  ASSERT_TRUE(save_png(picture_pixels(), file));
}

Graph picture_graph(int64_t steps) {
  return built({AddNode{node("picture", "image_source", {{"path", std::string("p.png")}})},
                AddNode{node("points", "image_sampler", {{"points", int64_t{64}}})},
                AddNode{node("mlp", "mlp", {{"width", int64_t{16}}, {"hidden_layers", int64_t{1}}})},
                AddNode{node("mse", "mse")}, AddNode{node("train", "train", {{"steps", steps}})},
                AddLink{link("picture.image", "points.image")}, AddLink{link("points.position", "mlp.x")},
                AddLink{link("mlp.y", "mse.prediction")}, AddLink{link("points.color", "mse.target")},
                AddLink{link("mse.loss", "train.loss")}});
}

Graph document_graph(double scale) {
  return built({AddNode{node("w", "parameter", {{"shape", std::vector<double>{160, 128}}})},
                AddNode{node("scale", "constant", {{"value", scale}})}});
}

Weights some_weights(double seed) {
  Weights weights{{"a", Tensor::zeros(DType::f32, {160, 128})}, {"b", Tensor::zeros(DType::f32, {5})}};
  for (auto& [name, tensor] : weights)
    for (int64_t i = 0; i < tensor.size(); ++i)
      tensor.as<float>()[i] = static_cast<float>(seed + static_cast<double>(i % 97) / 8);
  return weights;
}

Checkpoint some_checkpoint(uint64_t step) {
  Checkpoint c;
  c.states = some_weights(static_cast<double>(step));
  c.losses.assign(step, 0.5F);
  c.step = step;
  c.steps = 100;
  c.every = 1;
  c.device = "cpu";
  c.graph = picture_graph();
  return c;
}

interop::OnnxModel some_model() {
  using namespace interop;
  OnnxModel model;
  model.opset = 17;
  OnnxGraph& g = model.graph;
  g.name = "g";
  g.inputs = {{"x", DType::f32, "FLOAT", std::vector<OnnxDim>{{-1, "batch"}, {4, ""}}}};
  g.outputs = {{"y", DType::f32, "FLOAT", std::vector<OnnxDim>{{-1, "batch"}, {3, ""}}}};
  const auto values = [](Dims dims) {
    Tensor t = Tensor::zeros(DType::f32, std::move(dims));
    for (int64_t i = 0; i < t.size(); ++i) t.as<float>()[i] = static_cast<float>(i % 13) / 8 - 1;
    return t;
  };
  g.initializers = {{"w1", values({4, 6})}, {"b1", values({6})}, {"w2", values({6, 3})}, {"b2", values({3})}};
  const auto add = [&](const std::string& name, const std::string& op, std::vector<std::string> inputs,
                       const std::string& output) {
    OnnxNode n;
    n.name = name;
    n.op = op;
    n.inputs = std::move(inputs);
    n.outputs = {output};
    g.nodes.push_back(std::move(n));
  };
  add("/first/Gemm", "Gemm", {"x", "w1", "b1"}, "h");
  add("/first/Relu", "Relu", {"h"}, "r");
  add("/second/Gemm", "Gemm", {"r", "w2", "b2"}, "y");
  return model;
}

void expect_same(const Weights& got, const Weights& want) {
  ASSERT_EQ(got.size(), want.size());
  for (const auto& [name, tensor] : want) {
    ASSERT_TRUE(got.contains(name)) << name;
    EXPECT_TRUE(same_bits(got.at(name), tensor)) << name;
  }
}

}  // namespace hw::test
