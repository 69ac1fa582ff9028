// A linear layer: a product, its bias, ReLU.
#pragma once

#include "engine/backend/cuda/fused_bias.h"
#include "engine/backend/value_probe.h"
#include "op_cases.h"

namespace hw::test {

struct Layer {
  std::shared_ptr<Program> program = std::make_shared<Program>();
  Val x, product, sum, y;

  explicit Layer(DType dtype, const Dims& bias = {12}, bool read_twice = false, bool bias_first = false) {
    OpBuilder b(*program);
    b.set_node("layer");
    x = b.input("x", dtype, {33, 20});
    const Val w = b.param("w", dtype, {12, 20}, {Init::Kind::uniform, 1, 3});
    const Val offset = b.param("b", dtype, bias, {Init::Kind::uniform, 1, 4});
    product = b.matmul(x, w, true);
    sum = bias_first ? b.add(offset, product) : b.add(product, offset);
    y = b.relu(sum);
    if (read_twice) program->outputs.push_back({"also", b.scale(product, 2).id});
    program->outputs.push_back({"y", y.id});
  }
  bool fuses(std::span<const ValueId> keep = {}) const {
    for (const auto& fused : cuda::fused_biases(*program, keep))
      if (fused) return true;
    return false;
  }
  std::unique_ptr<Executable> on(Device& device) const {
    auto e = *device.compile(program, *device.prepare_states(*program, nullptr, 1, nullptr));
    EXPECT_TRUE(e->write_input("x", Tensor::from_f64((*program)[x.id].dtype, {33, 20}, numbers(33 * 20, -1, 1, 5))));
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
};

}  // namespace hw::test
