// Data sets from a folder: IDX files, .npy pairs, pictures or sounds in a folder for each class, or text.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "engine/core/dataset.h"
#include "engine/core/result.h"

namespace hw {

/// Files of one split.
struct SplitFiles {
  std::filesystem::path x, labels;                           // idx, npy; empty: none
  std::vector<std::vector<std::filesystem::path>> by_class;  // pictures, sounds; each sorted. Text: one list
  bool empty() const { return x.empty() && by_class.empty(); }
};

/// The files that find_dataset found in a folder; nothing is read yet.
///   idx: names that begin with train, or with t10k or test, and hold "images" or "labels"; each may end in .gz.
///   npy: x_train.npy, y_train.npy, x_test.npy, y_test.npy.
///   pictures: train/CLASS/*, test/CLASS/* (.png .jpg .jpeg .bmp .tga), or CLASS/* for training alone. Classes are
///   numbered in the order of their names, over both splits.
///   Hidden folders are none.
///   sounds: the same of .wav .flac .ogg.
///   text: .txt; names that begin with test are the test split, without one the last tenth of the text is.
struct DatasetFiles {
  enum class Kind : uint8_t { idx, npy, pictures, sounds, text } kind = Kind::idx;
  std::filesystem::path folder;
  std::vector<std::string> class_names;  // pictures, sounds
  SplitFiles train, test;
};

/// Where several files fit, the first by name counts. Error HW-A003: no training samples, with what was looked for.
Result<DatasetFiles> find_dataset(const std::filesystem::path& folder);
/// All files of both splits.
std::vector<std::filesystem::path> all_files(const DatasetFiles& files);
/// When the newest of the files and of their folders changed.
std::filesystem::file_time_type newest(const DatasetFiles& files);

/// Training samples are held out as `spec.validation` says: at random, of a text its end. Reads headers alone;
/// DatasetSplit::load reads the rest. Samples of other sizes than `spec.sample` are refused;
/// pictures are brought to it (area average) and to one channel (Rec. 601 luma) or three, sRGB-encoded. A leading 1 may
/// be left out by a file: [N, 28, 28] is [N, 1, 28, 28]. Errors: HW-A002 (file, reason), HW-A003 (labels that are
/// missing or too many; sizes that differ; a class without files for training; bytes in one split and in the other
/// numbers outside [0, 1], all of which are checked then). When it is loaded also: HW-A003 (a label that is no whole
/// number in [0, classes)), HW-R001 (more than memory has free; the file is named).
Result<std::shared_ptr<const Dataset>> open_dataset(const DatasetFiles& files, const DatasetSpec& spec);

/// The sizes in the header of an IDX file of bytes, plain or .gz; they are not more than the file may hold. Errors
/// HW-A002. Format: yann.lecun.com/exdb/mnist.
Result<Dims> read_idx_header(const std::filesystem::path& file);
/// All of it: u8. Errors HW-A002, HW-R001.
Result<Tensor> read_idx(const std::filesystem::path& file);
/// u8; f32 where one picture of either split has 16 bits a channel: all samples are channel values in [0, 1] then.
DType dtype_of_pictures(const DatasetFiles& files);
/// The pictures of one split, unread: [N, C, H, W], and their classes. Transparency is left out.
Result<DatasetSplit> open_pictures(const SplitFiles& files, const DatasetSpec& spec, DType dtype);
/// A sentence where one split is of grey pictures and the other of coloured ones, which `spec` does not make grey; else
/// "". The first picture of each class is checked.
std::string colour_mismatch(const DatasetFiles& files, const DatasetSpec& spec);
/// The sounds of one split, unread: f32 [N, C, T] or [N, T] within [-1, 1], and their classes. A longer sound is cut at
/// its end, a shorter one followed by silence; of one channel the mean of a file's channels is taken. `rate`: that of
/// the splits before, Hz; 0: the first file's, which is read, becomes it. Errors HW-A002 (file, reason), HW-A003
/// (another sampling rate; when it is loaded also other channels).
Result<DatasetSplit> open_sounds(const SplitFiles& files, const DatasetSpec& spec, int64_t& rate);
/// Fills splits and class names: `classes` different characters at most, numbered in the order of their code points,
/// a sample `sample[0]` of them in a row, f32. Training samples begin at every character, test samples where the one
/// before ends. Errors HW-A002 (no UTF-8: the file and the byte), HW-A003 (more characters; text shorter than a
/// sample).
Status open_text(const DatasetFiles& files, const DatasetSpec& spec, Dataset& into);

}  // namespace hw
