// Dataset: samples and labels for training and for testing, as they flow along data set wires. Plain data, no formats.
#pragma once

#include <string>
#include <vector>

#include "engine/core/tensor.h"

namespace hw {

/// One split. `x` [N, sample…]: u8, standing for value ÷ 255, or f32 as it is. `labels` i64 [N], each in [0, classes).
struct DatasetSplit {
  Tensor x;
  Tensor labels;
  int64_t count() const { return x.empty() ? 0 : x.dims()[0]; }
};

/// Shared between threads, never changed after loading. A split without files has no samples.
struct Dataset {
  std::string name;
  Dims sample;  // sizes of one sample: C H W for pictures
  int64_t classes = 0;
  std::vector<std::string> class_names;  // of the folders the pictures lay in, or empty
  DatasetSplit train, test;
};

/// What a data set must be for the graph that reads it.
struct DatasetSpec {
  Dims sample;
  int64_t classes = 0;
  auto operator<=>(const DatasetSpec&) const = default;
};

}  // namespace hw
