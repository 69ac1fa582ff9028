// Where a tensor lies in a file of weights.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/core/tensor.h"

namespace hw {

struct TensorEntry {
  std::string name;
  DType dtype = DType::f32;
  Dims dims;
  uint64_t begin = 0, end = 0;  // of its bytes, from the beginning of all tensors' bytes
};

/// What the header of a file says.
struct TensorEntries {
  std::vector<TensorEntry> read;
  std::map<std::string, std::string> unread;  // tensors of other dtypes: "F4 [4, 8]: Halfwire has no such dtype"
  uint64_t data = 0;                          // where the tensors' bytes begin in the file
};

/// "F4 [4, 8]: Halfwire has no such dtype".
inline std::string unread_tensor(const std::string& dtype, const Dims& dims) {
  return dtype.substr(0, 40) + " " + to_string(dims) + ": Halfwire has no such dtype";
}

}  // namespace hw
