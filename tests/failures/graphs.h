// Small graphs, weights, checkpoints and models for the operations.
#pragma once

#include <filesystem>

#include "app/interop/onnx/model.h"
#include "engine/core/mesh.h"
#include "engine/graph/graph.h"
#include "engine/plan/weights.h"
#include "engine/train/checkpoint.h"

namespace hw::test {

/// A 16 × 12 picture.
const Image& picture_pixels();
void write_picture(const std::filesystem::path& file);
/// Trains an MLP on "p.png" for `steps` steps of 64 points.
Graph picture_graph(int64_t steps = 4);
/// A parameter of 160 × 128, "w", and a constant "scale".
Graph document_graph(double scale);
/// Two tensors, of which the larger is mapped where files are mapped; `seed` changes the values alone.
Weights some_weights(double seed = 0);
/// After `step` steps, with some_weights(step) as its states.
Checkpoint some_checkpoint(uint64_t step);
/// x [batch, 4] → Gemm → Relu → Gemm: y [batch, 3].
interop::OnnxModel some_model();

/// EXPECTs the same names and bits.
void expect_same(const Weights& got, const Weights& want);

}  // namespace hw::test
