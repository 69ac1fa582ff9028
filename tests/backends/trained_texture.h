// The neural texture, made small, trained step by step on a device.
#pragma once

#include <gtest/gtest.h>

#include "engine/backend/backend.h"
#include "tests/bench/neural_texture.h"
#include "tests/engine/op_by_op.h"

namespace hw::test {

/// `points` a step; a grid of 8 levels with tables of 2^11 entries.
inline bench::NeuralTexture small_texture(int64_t points, DType mlp) {
  bench::NeuralTextureOptions o;
  o.points = points;
  o.log2_table = 11;
  o.levels = 8;
  o.mlp = mlp;
  return bench::neural_texture(o, bench::textured_sphere(16, 24, 64));
}

struct Trained {
  std::vector<double> losses;  // of each step
  Tensor table, weights;       // at the end; of the grid and of the MLP's first hidden layer
};

/// From initial weights, always the same; `keep`: what compile() is asked to keep.
inline Trained train(const bench::NeuralTexture& t, Device& device, int steps, std::span<const ValueId> keep = {}) {
  Trained r;
  const auto states = *device.prepare_states(*t.program, nullptr, 3, nullptr);
  auto executable = device.compile(t.program, states, keep);
  EXPECT_TRUE(executable) << (executable ? "" : executable.error().text());
  if (!executable) return r;
  for (int i = 0; i < steps; ++i) {
    StepInputs step;
    step.seed = 3;
    step.step = static_cast<uint64_t>(i);
    step.learning_rate = 1e-2;
    const Status status = (*executable)->run(step);
    EXPECT_TRUE(status) << (status ? "" : status.error().text());
    r.losses.push_back((*executable)->read(t.loss.id)->to_f64()[0]);
  }
  r.table = states->read("encoder.table");
  r.weights = states->read("mlp.w1");
  return r;
}

/// A step, the update too.
inline RunStart first_step() {
  RunStart start;
  start.step.seed = 3;
  start.step.learning_rate = 1e-2;
  return start;
}

/// Every op of a step, the update too, on the inputs that it has there.
inline void expect_every_op_agrees(const bench::NeuralTexture& t, const std::shared_ptr<Device>& device) {
  size_t compared = 0;
  EXPECT_EQ(first_disagreement(t.program, *device, first_step(), &compared), "");
  EXPECT_GE(compared, t.program->instrs.size());
}

}  // namespace hw::test
