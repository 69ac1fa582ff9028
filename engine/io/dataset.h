// Data sets from a folder: IDX files, .npy pairs, or pictures in a folder for each class.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "engine/core/dataset.h"
#include "engine/core/result.h"

namespace hw {

/// Files of one split. Pictures: class by class.
struct SplitFiles {
  std::filesystem::path x, labels;                           // idx, npy; empty: none
  std::vector<std::vector<std::filesystem::path>> pictures;  // by class, each sorted
  bool empty() const { return x.empty() && pictures.empty(); }
};

/// What find_dataset saw in a folder; nothing is read yet.
///   idx: names that begin with train, or with t10k or test, and hold "images" or "labels"; each may end in .gz.
///   npy: x_train.npy, y_train.npy, x_test.npy, y_test.npy.
///   pictures: train/CLASS/*, test/CLASS/* (.png .jpg .jpeg .bmp .tga), or CLASS/* for training alone. Classes are
///   numbered in the order of their names, over both splits.
struct DatasetFiles {
  enum class Kind : uint8_t { idx, npy, pictures } kind = Kind::idx;
  std::filesystem::path folder;
  std::vector<std::string> class_names;  // pictures
  SplitFiles train, test;
};

/// Where several files fit, the first by name counts. Error HW-A003: no training samples, with what was looked for.
Result<DatasetFiles> find_dataset(const std::filesystem::path& folder);
/// All files of both splits.
std::vector<std::filesystem::path> all_files(const DatasetFiles& files);
/// When the newest of the files and of their folders changed.
std::filesystem::file_time_type newest(const DatasetFiles& files);

/// Reads headers alone; DatasetSplit::load reads the rest. Samples of other sizes than `spec.sample` are refused;
/// pictures are brought to it (area average) and to one channel (Rec. 601 luma) or three, sRGB-encoded. A leading 1 may
/// be left out by a file: [N, 28, 28] is [N, 1, 28, 28]. Errors: HW-A002 (file, reason), HW-A003 (labels that are
/// missing or too many; sizes that differ). When it is loaded also: HW-A003 (a label outside [0, classes)), HW-R001
/// (more than memory has free; the file is named).
Result<std::shared_ptr<const Dataset>> open_dataset(const DatasetFiles& files, const DatasetSpec& spec);

/// The sizes in the header of an IDX file of bytes, plain or .gz; they are not more than the file may hold. Errors
/// HW-A002. Format: yann.lecun.com/exdb/mnist.
Result<Dims> read_idx_header(const std::filesystem::path& file);
/// All of it: u8. Errors HW-A002, HW-R001.
Result<Tensor> read_idx(const std::filesystem::path& file);
/// The pictures of one split, unread: u8 [N, C, H, W], and their classes.
Result<DatasetSplit> open_pictures(const SplitFiles& files, const DatasetSpec& spec);

}  // namespace hw
