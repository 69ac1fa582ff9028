// Attributes of the ops that read pictures and data sets.
#pragma once

#include <cstdint>
#include <memory>

#include "engine/core/dataset.h"
#include "engine/core/mesh.h"
#include "engine/core/result.h"
#include "engine/program/random_stream.h"

namespace hw {

/// sample_image; see engine/kernels/image_sampler.h.
struct SampleImageAttr {
  enum class Mode : uint8_t { bilinear, nearest, centres } mode = Mode::bilinear;
  std::shared_ptr<const Image> image;
  int64_t points = 0;
  RandomStream random = {};
  bool linear = false;  // colours are decoded from sRGB
};

/// sample_rows: rows of one split; see engine/kernels/row_order.h. u8 samples stand for value ÷ 255; then
/// (x − mean) ÷ std.
struct SampleRowsAttr {
  std::shared_ptr<const Dataset> data;
  Split which = Split::train;
  int64_t rows = 0;
  bool shuffle = true;
  RandomStream random = {};
  int64_t first = 0;  // row that step 0 begins with, when not shuffled
  double mean = 0, std = 1;
  const DatasetSplit& split() const { return data->split(which); }
};

struct Program;

/// Reads the data sets that a program draws from and that are not read yet: devices do it before they compile. Errors
/// of DatasetSplit::load.
Status load_data(const Program& program);

}  // namespace hw
