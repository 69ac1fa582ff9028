// Tensors of short vectors and small square matrices, component by component.
#pragma once

#include <string>
#include <vector>

#include "engine/core/tensor_statistics.h"

namespace hw::cli {

struct ComponentStatistics {
  std::string name;  // "x"; of a matrix "[0][1]"
  TensorStatistics values;
};

/// The statistics of each component of the vectors (last axis of 2 to 4) or square matrices (two such axes) that a
/// float tensor holds. Empty for other tensors.
std::vector<ComponentStatistics> measure_components(const Tensor& tensor);

}  // namespace hw::cli
