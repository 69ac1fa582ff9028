// A split of sounds: each cut, or followed by silence, to the length that the graph expects.
#include <sndfile.h>

#include <algorithm>
#include <cmath>
#include <regex>

#include "engine/core/codes.h"
#include "engine/io/dataset_classes.h"

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
    if (const auto cut = sound->cut_short(); !cut.empty()) return unreadable(file, cut);
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
  /// "" or how many bytes are missing at the end: libsndfile reads what is there, and tells its log alone.
  std::string cut_short() const {
    char log[4096] = "";
    sf_command(handle_, SFC_GET_LOG_INFO, log, sizeof log);
    static const std::regex pattern("data : ([0-9]+) \\(should be ([0-9]+)\\)");
    std::cmatch sizes;
    if (!std::regex_search(log, sizes, pattern)) return {};
    const unsigned long long announced = std::stoull(sizes[1]), there = std::stoull(sizes[2]);
    // A recorder that could not go back to its header leaves the largest size.
    if (announced <= there || announced >= 0x7ffff000) return {};
    return "it ends after " + std::to_string(there) + " of the " + std::to_string(announced) +
           " bytes that it announces.";
  }
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
    return Error{codes::asset_lacks, file.string(),
                 "it has " + std::to_string(has) + (has == 1 ? " channel" : " channels") + "; the graph expects " +
                     std::to_string(want.channels) + ".",
                 "Set the sample sizes of the Dataset node to [1, T] for the mean of all channels."};
  const std::vector<float> values = sound->read(want.frames);
  if (!std::ranges::all_of(values, [](float v) { return std::isfinite(v); }))
    return unreadable(file, "it holds Inf or NaN.");
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

}  // namespace

Result<DatasetSplit> open_sounds(const SplitFiles& files, const DatasetSpec& spec) {
  if (spec.sample.empty() || spec.sample.size() > 2) {
    return Error{codes::asset_lacks, folder_of(files).string(),
                 "sounds are [C, T] or [T], the graph expects " + to_string(spec.sample) + ".",
                 "Set the sample sizes of the Dataset node, for example to [1, 8000]."};
  }
  const Want want{spec.sample.size() == 2 ? spec.sample[0] : 1, spec.sample.back()};
  auto source = source_of(files, spec, DType::f32);
  source->read = [files, spec, want](DatasetSplit& into) {
    int rate = 0;
    const auto read = [&](const std::filesystem::path& file, std::byte* sample) {
      return read_into(reinterpret_cast<float*>(sample), file, want, rate);
    };
    return read_classes(files, spec, DType::f32, read, into);
  };
  return DatasetSplit{{}, {}, std::move(source)};
}

}  // namespace hw
