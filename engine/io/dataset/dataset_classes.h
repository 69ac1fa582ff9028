// Data sets of files in a folder for each class: what pictures and sounds have in common.
#pragma once

#include <functional>

#include "engine/io/dataset/dataset.h"

namespace hw {

/// The folder that the folders of the classes lie in. `files` has one at least.
std::filesystem::path folder_of(const SplitFiles& files);
/// Counts and sizes of samples of `spec`, stored as `dtype`; its `read` is missing yet.
std::shared_ptr<SplitSource> source_of(const SplitFiles& files, const DatasetSpec& spec, DType dtype);
/// Fills a split: x [N, sample…] of zeros, into which `read` writes the sample of each file, and the labels. Errors:
/// those of `read`; HW-R001.
Status read_classes(const SplitFiles& files, const DatasetSpec& spec, DType dtype,
                    const std::function<Status(const std::filesystem::path& file, std::byte* sample)>& read,
                    DatasetSplit& into);

}  // namespace hw
