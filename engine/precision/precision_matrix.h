// The precision matrix of a node type: what happens for every pair of input dtype and weight dtype.
#pragma once

#include "engine/backend/backend.h"
#include "engine/graph/graph.h"

namespace hw {

/// native: the node takes both as they are. via_cast: with the casts listed in `why`. refused: `why` says what stands
/// in the way: a dtype that no wire carries, one that the node does not take, an op without a kernel on the device.
struct PrecisionCell {
  enum class Verdict : uint8_t { native, via_cast, refused } verdict = Verdict::refused;
  bool exact = true;           // via_cast: no cast rounds
  DType compute = DType::f32;  // what the node computes with: the dtype its kernels are given
  std::string why;             // empty for native
};
std::string_view name(PrecisionCell::Verdict verdict);

/// Rows: the float dtypes, of the first input; columns: of the weights, or of the second input of a node without
/// weights, or one column where there is neither.
struct PrecisionMatrix {
  std::string node;                    // type id
  std::string rows, columns;           // "x", "weights"; columns empty: one column
  std::vector<DType> inputs, weights;  // dtypes of rows and of columns; one column: `weights` is empty
  std::vector<std::vector<PrecisionCell>> cells;
};

/// Found from the node's declaration, its lowering and the device, with the inputs of the node's first example and
/// these parameters. Error HW-G003: no such type; HW-P002, HW-P001: parameters; HW-R002: it has no float input.
Result<PrecisionMatrix> precision_matrix(const Device& device, const std::string& type, const ParamMap& params = {});

}  // namespace hw
