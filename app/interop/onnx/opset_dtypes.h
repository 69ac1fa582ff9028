// What each opset of ONNX offers for written models: operators, and the dtypes that these take.
#pragma once

#include "app/interop/onnx/model.h"

namespace hw::interop {

constexpr int64_t kFirstWrittenOpset = 17;
constexpr int64_t kLastOpset = 28;  // whose changes are known, reading and writing

/// The version of the file format that an opset came with.
int64_t ir_version_of(int64_t opset);
/// The opset from which on tensors may have a dtype, at least kFirstWrittenOpset; 0: none has it.
int64_t first_opset_of(DType dtype);
/// HW-R002: `what` is there from `first` on; 0: in no opset.
Error lacks(int64_t opset, const std::string& what, int64_t first);

/// The dtypes of a model's values, as it grows operator by operator.
class OpsetDtypes {
 public:
  explicit OpsetDtypes(int64_t opset) : opset_(opset) {}
  void define(const std::string& value, DType dtype) { dtypes_[value] = dtype; }
  /// The next operator of a model, whose initializers are there already. Error HW-R002: the opset does not have it for
  /// the dtype of what it reads; the opset that has is the remedy.
  Status add(const OnnxNode& n, const OnnxGraph& graph);

 private:
  int64_t opset_;
  std::map<std::string, DType> dtypes_;  // of values that are not initializers
};

}  // namespace hw::interop
