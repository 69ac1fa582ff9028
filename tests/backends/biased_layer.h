// Layers whose bias a device may add as it stores: a product or a convolution, its bias, ReLU.
#pragma once

#include "engine/backend/gpu/fused_bias.h"
#include "engine/backend/value_probe.h"
#include "op_cases.h"

namespace hw::test {

struct BiasedLayer {
  std::shared_ptr<Program> program = std::make_shared<Program>();
  Val x, product, sum, y;

  bool fuses(std::span<const ValueId> keep = {}) const {
    for (const auto& fused : gpu::fused_biases(*program, keep))
      if (fused) return true;
    return false;
  }
  std::unique_ptr<Executable> on(Device& device) const {
    auto e = *device.compile(program, *device.prepare_states(*program, nullptr, 1, nullptr));
    const Value& v = (*program)[x.id];
    EXPECT_TRUE(e->write_input("x", Tensor::from_f64(v.dtype, v.dims, numbers(element_count(v.dims), -1, 1, 5))));
    return e;
  }
  /// y of a run in which a probe sees the product.
  Tensor looked_at(Device& device) const {
    const auto e = on(device);
    ValueProbe probe(*program, {product.id});
    probe.begin(1, 0);
    EXPECT_TRUE(e->run({}, &probe));
    EXPECT_GT(probe.look(0).largest, 0);
    return *e->read(y.id);
  }

 protected:
  void finish(OpBuilder& b, Val bias, bool read_twice, bool bias_first) {
    sum = bias_first ? b.add(bias, product) : b.add(product, bias);
    y = b.relu(sum);
    if (read_twice) program->outputs.push_back({"also", b.scale(product, 2).id});
    program->outputs.push_back({"y", y.id});
  }
};

/// A linear layer.
struct Layer : BiasedLayer {
  explicit Layer(DType dtype, const Dims& bias = {12}, bool read_twice = false, bool bias_first = false) {
    OpBuilder b(*program);
    b.set_node("layer");
    x = b.input("x", dtype, {33, 20});
    const Val w = b.param("w", dtype, {12, 20}, {Init::Kind::uniform, 1, 3});
    const Val offset = b.param("b", dtype, bias, {Init::Kind::uniform, 1, 4});
    product = b.matmul(x, w, true);
    finish(b, offset, read_twice, bias_first);
  }
};

/// A convolution of 3 pictures in 2 groups, 4 channels to 6; `transposed`: conv2d_grad_input, 6 to 4.
struct ConvLayer : BiasedLayer {
  ConvLayer(DType dtype, bool transposed, const Dims& bias, bool read_twice = false, bool bias_first = false) {
    OpBuilder b(*program);
    b.set_node("layer");
    ConvAttr attr;
    attr.pad_begin = attr.pad_end = {1, 1};
    attr.groups = 2;
    attr.dims = {3, 4, 7, 5};
    x = b.input("x", dtype, transposed ? Dims{3, 6, 7, 5} : attr.dims);
    const Val w = b.param("w", dtype, {6, 2, 3, 3}, {Init::Kind::uniform, 1, 3});
    const Val offset = b.param("b", dtype, bias, {Init::Kind::uniform, 1, 4});
    product = b.emit(transposed ? Op::conv2d_grad_input : Op::conv2d, {x, w}, attr)[0];
    finish(b, offset, read_twice, bias_first);
  }
};

}  // namespace hw::test
