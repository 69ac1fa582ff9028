// A split of sounds: each cut, or followed by silence, to the length that the graph expects.
#include <algorithm>

#include "engine/core/codes.h"
#include "engine/io/dataset/dataset_classes.h"
#include "engine/io/media/parser_child.h"

namespace hw {
namespace {

/// `rate`: of the files before, Hz; 0: there are none, and it becomes this one's.
Result<Sound> load_at(int64_t& rate, const std::filesystem::path& file, const SoundFormat& format) {
  HW_TRY(Sound sound, load_sound(file, format));
  if (rate == 0) rate = sound.rate;
  if (sound.rate != rate)
    return Error{
        codes::asset_lacks, file.string(),
        "it has " + std::to_string(sound.rate) + " Hz; the files before it have " + std::to_string(rate) + " Hz.",
        "Bring all files to one sampling rate."};
  return sound;
}

Status read_into(float* to, const std::filesystem::path& file, const SoundFormat& format, int64_t rate) {
  HW_TRY(const Sound sound, load_at(rate, file, format));
  for (int64_t c = 0; c < format.channels; ++c)
    std::copy_n(sound.samples.begin() + c * sound.frames, sound.frames, to + c * format.frames);
  return ok();
}

}  // namespace

Result<DatasetSplit> open_sounds(const SplitFiles& files, const DatasetSpec& spec, int64_t& rate) {
  if (spec.sample.empty() || spec.sample.size() > 2) {
    return Error{codes::asset_lacks, folder_of(files).string(),
                 "sounds are [C, T] or [T], the graph expects " + to_string(spec.sample) + ".",
                 "Set the sample sizes of the Dataset node, for example to [1, 8000]."};
  }
  const SoundFormat want{spec.sample.size() == 2 ? spec.sample[0] : 1, spec.sample.back()};
  const auto first = std::ranges::find_if(files.by_class, [](const auto& of_class) { return !of_class.empty(); });
  HW_CHECK(load_at(rate, first->front(), {1, 1}));
  auto source = source_of(files, spec, DType::f32);
  source->read = [files, spec, want, rate](DatasetSplit& into) {
    const auto read = [&](const std::filesystem::path& file, std::byte* sample) {
      return read_into(reinterpret_cast<float*>(sample), file, want, rate);
    };
    return read_classes(files, spec, DType::f32, read, into);
  };
  return DatasetSplit{{}, {}, std::move(source)};
}

}  // namespace hw
