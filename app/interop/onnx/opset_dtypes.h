// Which dtypes operators take in opset 17, that models are written in.
#pragma once

#include "app/interop/onnx/model.h"

namespace hw::interop {

/// The dtypes of a model's values, as it grows operator by operator.
class OpsetDtypes {
 public:
  void define(const std::string& value, DType dtype) { dtypes_[value] = dtype; }
  /// The next operator of a model, whose initializers are there already. Error HW-R002: the opset does not have it for
  /// the dtype of what it reads.
  Status add(const OnnxNode& n, const OnnxGraph& graph);

 private:
  std::map<std::string, DType> dtypes_;  // of values that are not initializers
};

}  // namespace hw::interop
