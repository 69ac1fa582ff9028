// Dataset: samples and labels for training and for testing, as they flow along data set wires. Plain data, no formats.
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/result.h"
#include "engine/core/tensor.h"

namespace hw {

struct DatasetSplit;

/// train: drawn from in training. validation: held out of the training samples; decides on a run while it goes on.
/// test: decides nothing, so that what is measured on it is honest.
enum class Split : uint8_t { train, validation, test };
std::string_view name(Split split);  // "train", "validation", "test"

/// A split in files of which the headers alone were read: what they announce, and how the rest is read.
struct SplitSource {
  int64_t count = 0;
  DType dtype = DType::u8;
  size_t sample_bytes = 0, label_bytes = 0;  // of all samples, in memory
  std::function<Status(DatasetSplit& into)> read;
  mutable std::mutex mutex = {};
};

/// One split. `x` [N, sample…]: u8, standing for value ÷ 255, or f32 as it is. `labels` i64 [N], each in [0, classes).
/// Where there is a source both are empty until load() has come back; sizes are known before.
struct DatasetSplit {
  mutable Tensor x = {};
  mutable Tensor labels = {};
  std::shared_ptr<const SplitSource> source = {};
  /// From the first element of a sample to that of the next; 0: samples follow one another. With a stride x is
  /// [elements] and samples may overlap: windows of a text.
  int64_t stride = 0;

  int64_t count() const { return source ? source->count : x.empty() ? 0 : x.dims()[0]; }
  /// Where sample `row` begins in x; `size`: elements of a sample.
  int64_t begin_of(int64_t row, int64_t size) const { return row * (stride > 0 ? stride : size); }
  DType dtype() const { return source ? source->dtype : x.dtype(); }
  /// All samples, and with their labels.
  size_t sample_bytes() const { return source ? source->sample_bytes : x.bytes(); }
  size_t bytes() const { return source ? source->sample_bytes + source->label_bytes : x.bytes() + labels.bytes(); }
  bool is_loaded() const;
  /// Reads what is not read yet; whoever looks at x or labels calls it first. Errors HW-A002, HW-A003, HW-R001 with the
  /// file; it may be tried again. Thread safe, blocks.
  Status load() const;
};

/// Shared between threads, never changed but by load(). A split without files has no samples.
struct Dataset {
  std::string name;
  Dims sample;  // sizes of one sample: C H W for pictures
  int64_t classes = 0;
  std::vector<std::string> class_names;  // of the folders the files lay in; of a text its characters; or empty
  std::vector<std::string> warnings;     // what of its files is probably not meant, one sentence each
  DatasetSplit train, validation, test;
  const DatasetSplit& split(Split which) const {
    return which == Split::train ? train : which == Split::validation ? validation : test;
  }
};

/// What a data set must be for the graph that reads it.
struct DatasetSpec {
  Dims sample;
  int64_t classes = 0;
  double validation = 0;  // the share of the training samples that is held out: [0, 1)
  auto operator<=>(const DatasetSpec&) const = default;
};

}  // namespace hw
