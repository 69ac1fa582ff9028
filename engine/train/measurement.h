// Measurement: what was measured over a whole split of the data set.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/core/dataset.h"

namespace hw {

/// In evaluation mode, with the weights that were handed out then. Immutable once handed out.
struct Measurement {
  Split split = Split::test;
  uint64_t step = 0;                      // steps done
  int64_t samples = 0;                    // of the split: all of them
  std::optional<double> loss;             // mean over the samples; none: no data set has a validation split
  std::map<std::string, double> numbers;  // by node, of metrics whose output is one number: means over the samples
  std::map<std::string, std::vector<Tensor>> tensors;  // by node: all outputs of the other metrics
  std::vector<std::string> class_names;                // of the data set; empty: it has none
};

}  // namespace hw
