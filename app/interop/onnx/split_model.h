// A model whose large tensors stay in the file: protobuf would hold all of their bytes. For read_model.cpp alone.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/interop/onnx/read_tensor.h"

namespace hw::interop {

/// An initializer without its raw_data, where that is large.
struct SplitTensor {
  onnx::TensorProto proto;
  std::optional<Place> raw;
};

struct SplitModel {
  std::string rest;                       // the model without the initializers of its graph
  std::vector<SplitTensor> initializers;  // these, in the order of the file
};

/// None: the bytes are not as those of a model, or the file cannot be read.
std::optional<SplitModel> split_model(const TensorFile& file);

}  // namespace hw::interop
