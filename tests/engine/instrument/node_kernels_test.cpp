// Which kernels a node is said to run: chosen by work, alike in every run; forward and backward; layer by layer.
#include <gmock/gmock.h>

#include "engine/program/work.h"
#include "engine/train/session.h"
#include "engine/train/training_run.h"
#include "tests/engine/graph_builder.h"
#include "tests/engine/quad_assets.h"

namespace hw::node_kernels_test {
namespace {

using test::link;
using test::node;

TEST(Work, counts_multiplications_and_additions) {
  Program p;
  OpBuilder b(p);
  const Val x = b.input("x", DType::f32, {10, 3}), w = b.input("w", DType::f32, {5, 3});
  const auto last = [&] { return work_of(p, p.instrs.back()); };
  b.matmul(x, w, true);
  EXPECT_EQ(last().products, 2 * 10 * 3 * 5);
  EXPECT_EQ(last().bytes, 4 * (10 * 3 + 5 * 3 + 10 * 5));
  b.matmul_tn(x, b.input("g", DType::f32, {10, 5}), DType::f32);
  EXPECT_EQ(last().products, 2 * 10 * 3 * 5);
  b.batch_matmul(b.input("a", DType::f16, {2, 4, 7}), b.input("c", DType::f16, {2, 4, 6}), true, false);
  EXPECT_EQ(last().products, 2 * 2 * 7 * 6 * 4);
  ConvAttr conv;
  conv.groups = 2;
  const Val picture = b.input("picture", DType::f32, {2, 4, 8, 8}),
            kernel = b.input("kernel", DType::f32, {6, 2, 3, 3});
  const Val y = b.emit(Op::conv2d, {picture, kernel}, conv)[0];
  const double sums = 2 * 2.0 * 6 * 6 * 6 * (2 * 3 * 3);  // of 18 products each, [2, 6, 6, 6] of them
  EXPECT_EQ(last().products, sums);
  conv.dims = {2, 4, 8, 8};
  b.emit(Op::conv2d_grad_input, {y, kernel}, conv);
  EXPECT_EQ(last().products, sums);
  conv.dims = {6, 2, 3, 3};
  b.emit(Op::conv2d_grad_weight, {picture, y}, conv);
  EXPECT_EQ(last().products, sums);
  ASSERT_TRUE(b.status()) << b.status().error().text();
  b.add(x, x);
  EXPECT_EQ(last().products, 0);
  EXPECT_LT(last(), work_of(p, p.instrs.front())) << "a product is more work than what is none";
}

/// Random points → MLP of two layers in `dtype` → MSE.
Graph layers(const std::string& dtype) {
  const std::vector<double> shape{64, 8};
  return test::built(
      {AddNode{node("x", "random", {{"shape", shape}, {"dtype", dtype}})},
       AddNode{node("y", "random", {{"shape", std::vector<double>{64, 3}}, {"dtype", dtype}})},
       AddNode{node("mlp", "mlp",
                    {{"out_features", int64_t{3}}, {"hidden_layers", int64_t{2}}, {"bias", true}, {"dtype", dtype}})},
       AddNode{node("mse", "mse")}, AddNode{node("train", "train")}, AddLink{link("x.y", "mlp.x")},
       AddLink{link("mlp.y", "mse.prediction")}, AddLink{link("y.y", "mse.target")},
       AddLink{link("mse.loss", "train.loss")}});
}

std::map<std::string, NodeKernels> kernels_of(const Graph& graph) {
  Session session(std::make_shared<test::QuadAssets>(), nullptr);
  session.start(graph, "cpu", 3);
  session.wait();
  const auto s = session.snapshot();
  EXPECT_FALSE(s->error) << s->error->text();
  return s->node_kernels;
}

TEST(NodeKernels, are_those_of_the_products_layer_by_layer) {
  for (const char* dtype : {"f32", "bf16", "f16"}) {
    const auto kernels = kernels_of(layers(dtype));
    const NodeKernels& mlp = kernels.at("mlp");
    EXPECT_THAT(mlp.forward.implementation, testing::HasSubstr("oneDNN")) << dtype;
    ASSERT_TRUE(mlp.backward);
    EXPECT_THAT(mlp.backward->implementation, testing::HasSubstr("oneDNN")) << dtype;
    std::vector<std::string> names;
    for (const NodeKernels::Layer& layer : mlp.layers) {
      names.push_back(layer.param);
      EXPECT_THAT(layer.forward.implementation, testing::HasSubstr("oneDNN")) << dtype << " " << layer.param;
      ASSERT_TRUE(layer.backward) << layer.param;
      EXPECT_THAT(layer.backward->implementation, testing::HasSubstr("oneDNN")) << dtype << " " << layer.param;
    }
    EXPECT_EQ(names, (std::vector<std::string>{"layer_0", "layer_1", "layer_2"})) << dtype;
    EXPECT_TRUE(kernels.at("mse").layers.empty());
    EXPECT_FALSE(kernels.at("x").backward) << "no gradient passes";
  }
}

TEST(NodeKernels, are_alike_in_every_run) {
  const auto text = [](const std::map<std::string, NodeKernels>& kernels) {
    std::string all;
    for (const auto& [node, k] : kernels)
      all += node + ": " + text_of(k.forward) + (k.backward ? text_of(*k.backward) : "");
    return all;
  };
  Graph texture = test::neural_texture();
  const std::string first = text(kernels_of(texture));
  for (int run = 0; run < 5; ++run) EXPECT_EQ(text(kernels_of(texture)), first);
}

}  // namespace
}  // namespace hw::node_kernels_test
