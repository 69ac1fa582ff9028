#include "engine/io/dataset/dataset_classes.h"

#include <algorithm>

#include "engine/io/file/file_bytes.h"

namespace hw {

std::filesystem::path folder_of(const SplitFiles& files) {
  const auto some = std::ranges::find_if(files.by_class, [](const auto& of_class) { return !of_class.empty(); });
  return some->front().parent_path().parent_path();
}

std::shared_ptr<SplitSource> source_of(const SplitFiles& files, const DatasetSpec& spec, DType dtype) {
  auto source = std::make_shared<SplitSource>();
  for (const auto& of_class : files.by_class) source->count += static_cast<int64_t>(of_class.size());
  source->dtype = dtype;
  // The node holds samples to 2^28 elements, the file system files to fewer than 2^32.
  source->sample_bytes = byte_count(dtype, source->count * element_count(spec.sample));
  source->label_bytes = spec.classes > 0 ? static_cast<size_t>(source->count) * sizeof(int64_t) : 0;
  return source;
}

Status read_classes(const SplitFiles& files, const DatasetSpec& spec, DType dtype,
                    const std::function<Status(const std::filesystem::path& file, std::byte* sample)>& read,
                    DatasetSplit& into) {
  const auto source = source_of(files, spec, dtype);
  HW_CHECK(check_memory_for(folder_of(files), source->sample_bytes));
  Dims dims = spec.sample;
  dims.insert(dims.begin(), source->count);
  Tensor x = Tensor::zeros(dtype, dims);
  if (spec.classes > 0) into.labels = Tensor(DType::i64, {source->count});
  const size_t size = source->sample_bytes / static_cast<size_t>(source->count);
  int64_t at = 0;
  for (size_t label = 0; label < files.by_class.size(); ++label) {
    for (const std::filesystem::path& file : files.by_class[label]) {
      HW_CHECK(read(file, x.as<std::byte>() + static_cast<size_t>(at) * size));
      if (spec.classes > 0) into.labels.as<int64_t>()[at] = static_cast<int64_t>(label);
      ++at;
    }
  }
  into.x = std::move(x);
  return ok();
}

}  // namespace hw
