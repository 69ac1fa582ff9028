// A split of sounds: each cut, or followed by silence, to the length that the graph expects.
#include <sndfile.h>

#include <algorithm>

#include "engine/core/codes.h"
#include "engine/io/dataset.h"
#include "engine/io/file_bytes.h"

namespace hw {
namespace {

Error unreadable(const std::filesystem::path& file, const std::string& reason) {
  return {codes::asset_unreadable, file.string(), reason, "Make the file again, or take it out of the folder."};
}

/// A file that libsndfile reads.
class Sound {
 public:
  static Result<std::unique_ptr<Sound>> open(const std::filesystem::path& file) {
    std::unique_ptr<Sound> sound(new Sound);
    sound->handle_ = sf_open(file.c_str(), SFM_READ, &sound->info_);
    if (!sound->handle_) return unreadable(file, std::string(sf_strerror(nullptr)));
    if (sound->info_.channels < 1 || sound->info_.frames < 1) return unreadable(file, "no sound is in it.");
    return sound;
  }
  Sound(const Sound&) = delete;
  Sound& operator=(const Sound&) = delete;
  ~Sound() {
    if (handle_) sf_close(handle_);
  }

  int rate() const { return info_.samplerate; }
  int channels() const { return info_.channels; }
  /// [frames][channels], `frames` at most.
  std::vector<float> read(int64_t frames) {
    std::vector<float> values(static_cast<size_t>(std::min<int64_t>(frames, info_.frames) * channels()));
    const sf_count_t got = sf_readf_float(handle_, values.data(), static_cast<sf_count_t>(values.size()) / channels());
    values.resize(static_cast<size_t>(std::max<sf_count_t>(got, 0) * channels()));
    return values;
  }

 private:
  Sound() = default;
  SNDFILE* handle_ = nullptr;
  SF_INFO info_ = {};
};

/// What the graph expects of a sound.
struct Want {
  int64_t channels = 1, frames = 0;
};

Status read_into(float* to, const std::filesystem::path& file, const Want& want, int& rate) {
  HW_TRY(const std::unique_ptr<Sound> sound, Sound::open(file));
  if (rate == 0) rate = sound->rate();
  if (sound->rate() != rate)
    return Error{
        codes::asset_lacks, file.string(),
        "it has " + std::to_string(sound->rate()) + " Hz; the files before it have " + std::to_string(rate) + " Hz.",
        "Bring all files to one sampling rate."};
  const int64_t has = sound->channels();
  if (want.channels != 1 && want.channels != has)
    return Error{
        codes::asset_lacks, file.string(),
        "it has " + std::to_string(has) + " channels; the graph expects " + std::to_string(want.channels) + ".",
        "Set the sample sizes of the Dataset node to [1, T] for the mean of all channels."};
  const std::vector<float> values = sound->read(want.frames);
  const auto frames = static_cast<int64_t>(values.size()) / has;
  for (int64_t t = 0; t < frames; ++t) {
    const float* frame = values.data() + t * has;
    if (want.channels == has) {
      for (int64_t c = 0; c < has; ++c) to[c * want.frames + t] = frame[c];
    } else {
      double sum = 0;
      for (int64_t c = 0; c < has; ++c) sum += static_cast<double>(frame[c]);
      to[t] = static_cast<float>(sum / static_cast<double>(has));
    }
  }
  return ok();
}

/// The folder of the first file.
std::filesystem::path place_of(const SplitFiles& files) {
  const auto first = std::ranges::find_if(files.by_class, [](const auto& of_class) { return !of_class.empty(); });
  return first->front().parent_path();
}

Status read_sounds(const SplitFiles& files, const DatasetSpec& spec, const Want& want, int64_t count,
                   DatasetSplit& into) {
  Dims dims = spec.sample;
  dims.insert(dims.begin(), count);
  HW_CHECK(check_memory_for(place_of(files), static_cast<uint64_t>(element_count(dims)) * sizeof(float)));
  Tensor x = Tensor::zeros(DType::f32, dims);
  if (spec.classes > 0) into.labels = Tensor(DType::i64, {count});
  int64_t at = 0;
  int rate = 0;
  for (size_t label = 0; label < files.by_class.size(); ++label) {
    for (const std::filesystem::path& file : files.by_class[label]) {
      HW_CHECK(read_into(x.as<float>() + at * want.channels * want.frames, file, want, rate));
      if (spec.classes > 0) into.labels.as<int64_t>()[at] = static_cast<int64_t>(label);
      ++at;
    }
  }
  into.x = std::move(x);
  return ok();
}

}  // namespace

Result<DatasetSplit> open_sounds(const SplitFiles& files, const DatasetSpec& spec) {
  if (spec.sample.empty() || spec.sample.size() > 2) {
    return Error{codes::asset_lacks, place_of(files).string(),
                 "sounds are [C, T] or [T], the graph expects " + to_string(spec.sample) + ".",
                 "Set the sample sizes of the Dataset node, for example to [1, 8000]."};
  }
  const Want want{spec.sample.size() == 2 ? spec.sample[0] : 1, spec.sample.back()};
  auto source = std::make_shared<SplitSource>();
  for (const auto& of_class : files.by_class) source->count += static_cast<int64_t>(of_class.size());
  source->dtype = DType::f32;
  source->sample_bytes =
      static_cast<size_t>(source->count) * static_cast<size_t>(element_count(spec.sample)) * sizeof(float);
  source->label_bytes = spec.classes > 0 ? static_cast<size_t>(source->count) * sizeof(int64_t) : 0;
  source->read = [files, spec, want, count = source->count](DatasetSplit& into) {
    return read_sounds(files, spec, want, count, into);
  };
  return DatasetSplit{{}, {}, std::move(source)};
}

}  // namespace hw
