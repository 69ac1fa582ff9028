#include "engine/io/dataset/dataset.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>

#include "engine/core/codes.h"
#include "engine/core/memory.h"
#include "engine/io/dataset/dataset_scales.h"
#include "engine/io/dataset/hold_out.h"
#include "engine/io/file/folder_entries.h"
#include "engine/io/tensor/npy.h"

namespace hw {
namespace {

namespace fs = std::filesystem;
using Names = std::vector<fs::path>;

/// Sorted by name.
Names entries(const fs::path& folder, bool folders) {
  Names names;
  std::error_code ec;
  for (fs::path& entry : entries_of(folder, ec)) {
    std::error_code ignored;
    if (folders ? fs::is_directory(entry, ignored) : fs::is_regular_file(entry, ignored))
      names.push_back(std::move(entry));
  }
  std::sort(names.begin(), names.end());
  return names;
}

fs::path first_idx(const Names& files, std::initializer_list<std::string_view> begins, std::string_view holds) {
  for (const fs::path& file : files) {
    const std::string name = file.filename().string();
    const bool begun = std::any_of(begins.begin(), begins.end(), [&](auto b) { return name.starts_with(b); });
    if (begun && name.find(holds) != std::string::npos && name.find("idx") != std::string::npos) return file;
  }
  return {};
}

fs::path named(const fs::path& folder, const char* name) {
  std::error_code ec;
  return fs::is_regular_file(folder / name, ec) ? folder / name : fs::path();
}

bool ends_with_one_of(const fs::path& file, const std::set<std::string>& kinds) {
  std::string ending = file.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return kinds.contains(ending);
}

/// Files of each class folder in `folder`; `classes` gives the order.
SplitFiles files_in(const fs::path& folder, const std::vector<std::string>& classes,
                    const std::set<std::string>& kinds) {
  SplitFiles split;
  bool any = false;
  for (const std::string& name : classes) {
    Names files = entries(folder / name, false);
    std::erase_if(files, [&](const fs::path& file) { return !ends_with_one_of(file, kinds); });
    any = any || !files.empty();
    split.by_class.push_back(std::move(files));
  }
  if (!any) split.by_class.clear();
  return split;
}

/// Fills the splits and names of `found` from folders of classes. False: no training samples are there.
bool find_classes(DatasetFiles& found, DatasetFiles::Kind kind, const std::set<std::string>& kinds) {
  found.kind = kind;
  std::error_code ec;
  const fs::path& folder = found.folder;
  const bool split = fs::is_directory(folder / "train", ec);
  std::set<std::string> classes;
  for (const fs::path& place : split ? Names{folder / "train", folder / "test"} : Names{folder})
    for (const fs::path& name : entries(place, true))
      if (const std::string of = name.filename().string(); !of.starts_with(".")) classes.insert(of);
  found.class_names.assign(classes.begin(), classes.end());
  found.train = files_in(split ? folder / "train" : folder, found.class_names, kinds);
  found.test = split ? files_in(folder / "test", found.class_names, kinds) : SplitFiles{};
  return !found.train.empty();
}

bool find_text(DatasetFiles& found, const Names& files) {
  found.kind = DatasetFiles::Kind::text;
  found.class_names.clear();
  found.train = found.test = {};
  for (const fs::path& file : files) {
    if (!ends_with_one_of(file, {".txt"})) continue;
    auto& split = file.filename().string().starts_with("test") ? found.test.by_class : found.train.by_class;
    if (split.empty()) split.emplace_back();
    split.front().push_back(file);
  }
  return !found.train.empty();
}

/// [N, sample…], where leading sizes of 1 may be left out.
Result<Dims> as_samples(const Dims& dims, const DatasetSpec& spec, const fs::path& file) {
  const auto without_ones = [](Dims all) {
    while (!all.empty() && all.front() == 1) all.erase(all.begin());
    return all;
  };
  const Dims sample(dims.empty() ? dims.begin() : dims.begin() + 1, dims.end());
  if (dims.empty() || without_ones(sample) != without_ones(spec.sample)) {
    return Error{codes::asset_lacks, file.string(),
                 "its samples are " + to_string(sample) + ", the graph expects " + to_string(spec.sample) + ".",
                 "Set the sample sizes of the Dataset node to those of the files."};
  }
  Dims full = spec.sample;
  full.insert(full.begin(), dims[0]);
  return full;
}

/// Class numbers, as i64. Error HW-A003 with the first row whose label is none.
Result<Tensor> as_labels(const Tensor& stored, const DatasetSpec& spec, const fs::path& file) {
  const std::vector<double> values = stored.to_f64();
  for (size_t row = 0; row < values.size(); ++row) {
    const double label = values[row];
    const bool whole = std::isfinite(label) && label == std::floor(label);
    if (whole && label >= 0 && label < static_cast<double>(spec.classes)) continue;
    char text[32];
    std::snprintf(text, sizeof text, "%.9g", label);
    const std::string all = "labels are whole numbers from 0 to " + std::to_string(spec.classes - 1);
    return Error{codes::asset_lacks, file.string(),
                 "label " + std::to_string(row) + " is " + text +
                     (whole ? "; " + std::to_string(spec.classes) + " classes are numbered from 0."
                            : ", which is no class: " + all + "."),
                 whole && label >= 0 && label < 1e9
                     ? "Set the number of classes of the Dataset node."
                     : "Give each row the number of its class, or leave out the rows that have none; for targets that "
                       "are no classes set classes to 0 and take them from an array of their own."};
  }
  return stored.to(DType::i64).reshaped({stored.size()});
}

/// Error HW-A003: not one label a sample, [N] or [N, 1].
Status check_label_sizes(const Dims& labels, int64_t samples, const fs::path& file) {
  if (!labels.empty() && labels[0] == samples && element_count(labels) == samples) return ok();
  const bool rows = labels.size() > 1 && labels[0] == samples;
  return Error{codes::asset_lacks, file.string(),
               "there are labels " + to_string(labels) + " for " + std::to_string(samples) + " samples" +
                   (rows ? "; each sample has one class." : "."),
               rows ? "Save the number of each sample's class: of one-hot rows, the place of the 1."
                    : "Get the files again; they do not belong together."};
}

/// An array in a file of either format; the header was read.
struct ArrayFile {
  fs::path file;
  bool idx = false;
  NpyHeader header;  // of idx: dtype and sizes alone

  static Result<ArrayFile> open(const fs::path& file, bool idx) {
    ArrayFile array{file, idx, {}};
    if (idx) {
      array.header.dtype = DType::u8;
      HW_TRY(array.header.dims, read_idx_header(file));
      return array;
    }
    auto header = read_npy_header(file);
    if (!header) return as_asset(header.error());
    array.header = std::move(*header);
    return array;
  }
  /// What the header announced, as `dtype`.
  Result<Tensor> read(DType dtype) const {
    auto read = idx ? read_idx(file) : read_npy(file, header, dtype);
    if (!read) return as_asset(read.error());
    if (read->dims() == header.dims) return read->to(dtype);
    return Error{codes::asset_unreadable, file.string(), "the file has changed while it was read.", "Try again."};
  }

 private:
  static Error as_asset(Error error) {
    if (error.code != codes::out_of_memory) error.code = codes::asset_unreadable;
    return error;
  }
};

Result<DatasetSplit> open_arrays(const DatasetFiles& files, const SplitFiles& from, const DatasetSpec& spec) {
  const bool idx = files.kind == DatasetFiles::Kind::idx;
  HW_TRY(const ArrayFile x, ArrayFile::open(from.x, idx));
  HW_TRY(const Dims dims, as_samples(x.header.dims, spec, from.x));
  auto source = std::make_shared<SplitSource>();
  source->count = dims[0];
  source->dtype = x.header.dtype == DType::u8 ? DType::u8 : DType::f32;
  source->sample_bytes = byte_count(source->dtype, element_count(dims));
  if (spec.classes == 0) {
    source->read = [x, dims, dtype = source->dtype](DatasetSplit& into) -> Status {
      HW_TRY(const Tensor read, x.read(dtype));
      into.x = read.reshaped(dims);
      return ok();
    };
    return DatasetSplit{{}, {}, std::move(source)};
  }
  if (from.labels.empty()) {
    return Error{codes::asset_lacks, from.x.string(), "the file of its labels is missing.",
                 "Put it beside, or set the number of classes to 0 to do without labels."};
  }
  HW_TRY(const ArrayFile labels, ArrayFile::open(from.labels, idx));
  HW_CHECK(check_label_sizes(labels.header.dims, source->count, from.labels));
  source->label_bytes = static_cast<size_t>(source->count) * sizeof(int64_t);
  source->read = [x, labels, dims, spec, dtype = source->dtype](DatasetSplit& into) -> Status {
    HW_TRY(const Tensor stored, labels.read(labels.header.dtype));
    HW_TRY(into.labels, as_labels(stored, spec, labels.file));
    HW_TRY(const Tensor read, x.read(dtype));
    into.x = read.reshaped(dims);
    return ok();
  };
  return DatasetSplit{{}, {}, std::move(source)};
}

}  // namespace

Result<DatasetFiles> find_dataset(const fs::path& folder) {
  DatasetFiles found;
  found.folder = folder;
  const Names files = entries(folder, false);
  found.train = {first_idx(files, {"train"}, "images"), first_idx(files, {"train"}, "labels"), {}};
  found.test = {first_idx(files, {"t10k", "test"}, "images"), first_idx(files, {"t10k", "test"}, "labels"), {}};
  if (!found.train.empty()) return found;

  found.kind = DatasetFiles::Kind::npy;
  found.train = {named(folder, "x_train.npy"), named(folder, "y_train.npy"), {}};
  found.test = {named(folder, "x_test.npy"), named(folder, "y_test.npy"), {}};
  if (!found.train.empty()) return found;

  if (find_classes(found, DatasetFiles::Kind::pictures, {".png", ".jpg", ".jpeg", ".bmp", ".tga"})) return found;
  if (find_classes(found, DatasetFiles::Kind::sounds, {".wav", ".flac", ".ogg"})) return found;
  if (find_text(found, files)) return found;
  return Error{codes::asset_lacks, folder.string(),
               "no training samples are in it: neither IDX files (train…images…idx…), nor x_train.npy, nor pictures or "
               "sounds in train/CLASS or CLASS folders, nor text (.txt whose name does not begin with test).",
               "Choose the folder that holds the files."};
}

std::vector<fs::path> all_files(const DatasetFiles& files) {
  std::vector<fs::path> all;
  for (const SplitFiles* split : {&files.train, &files.test}) {
    for (const fs::path& file : {split->x, split->labels})
      if (!file.empty()) all.push_back(file);
    for (const auto& of_class : split->by_class) all.insert(all.end(), of_class.begin(), of_class.end());
  }
  return all;
}

fs::file_time_type newest(const DatasetFiles& files) {
  fs::file_time_type time = fs::file_time_type::min();
  const auto see = [&](const fs::path& file) {
    std::error_code ec;
    if (const auto t = fs::last_write_time(file, ec); !ec) time = std::max(time, t);
  };
  fs::path folder = files.folder;
  see(folder);
  for (const fs::path& file : all_files(files)) {
    if (const fs::path of_file = file.parent_path(); of_file != folder) see(folder = of_file);
    see(file);
  }
  return time;
}

Result<std::shared_ptr<const Dataset>> open_dataset(const DatasetFiles& files, const DatasetSpec& spec) {
  auto data = std::make_shared<Dataset>();
  data->name = files.folder.filename().string();
  data->sample = spec.sample;
  data->classes = spec.classes;
  data->class_names = files.class_names;
  const bool pictures = files.kind == DatasetFiles::Kind::pictures, sounds = files.kind == DatasetFiles::Kind::sounds;
  if ((pictures || sounds) && spec.classes > 0 && static_cast<int64_t>(files.class_names.size()) > spec.classes) {
    return Error{codes::asset_lacks, files.folder.string(),
                 "it has " + std::to_string(files.class_names.size()) + " class folders; the graph expects " +
                     std::to_string(spec.classes) + ".",
                 "Set the number of classes of the Dataset node."};
  }
  if (files.kind == DatasetFiles::Kind::text) {
    HW_CHECK(open_text(files, spec, *data));
    return std::shared_ptr<const Dataset>(std::move(data));
  }
  for (size_t label = 0; label < files.train.by_class.size(); ++label) {
    if (!files.train.by_class[label].empty()) continue;
    return Error{codes::asset_lacks, files.folder.string(),
                 "the class \"" + files.class_names[label] + "\" has no files for training" +
                     (files.test.empty() || files.test.by_class[label].empty() ? "." : ", but for testing."),
                 "Put some into its folder, or take the folder away."};
  }
  int64_t rate = 0;  // of all sounds
  const DType of_pictures = pictures ? dtype_of_pictures(files) : DType::u8;
  for (const auto& [from, to] : {std::pair(&files.train, &data->train), std::pair(&files.test, &data->test)}) {
    if (from->empty()) continue;
    HW_TRY(*to, pictures ? open_pictures(*from, spec, of_pictures)
                : sounds ? open_sounds(*from, spec, rate)
                         : open_arrays(files, *from, spec));
  }
  if (files.kind == DatasetFiles::Kind::npy && !files.test.empty()) {
    HW_TRY(const std::string differs, scale_mismatch(files.train.x, files.test.x));
    if (!differs.empty()) data->warnings.push_back(differs);
  }
  if (const std::string differs = pictures ? colour_mismatch(files, spec) : ""; !differs.empty())
    data->warnings.push_back(differs);
  for (const DatasetSplit* split : {&data->train, &data->test}) {
    if (split->bytes() <= machine_memory()) continue;
    const std::string& place = (pictures || sounds      ? files.folder
                                : split == &data->train ? files.train.x
                                                        : files.test.x)
                                   .string();
    return Error{codes::out_of_memory, place,
                 "its samples take " + memory_text(split->bytes()) + "; this machine has " +
                     memory_text(machine_memory()) + " of memory.",
                 "Use a part of the data set."};
  }
  if (data->train.count() == 0) {
    return Error{codes::asset_lacks, files.folder.string(), "the data set has no training samples.",
                 "Choose another data set."};
  }
  if (spec.validation > 0) HW_CHECK(hold_out(*data, spec.validation));
  return std::shared_ptr<const Dataset>(std::move(data));
}

}  // namespace hw
