#include "engine/io/media/sound.h"

#include <sndfile.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <regex>

#include "engine/core/codes.h"

namespace hw {
namespace {

constexpr int64_t kPiece = int64_t{1} << 14;  // frames that are read at a time, of up to 1,024 channels

/// "" or how many bytes are missing at the end: libsndfile reads what is there, and reports it in its log alone.
std::string cut_short(SNDFILE* file) {
  char log[4096] = "";
  sf_command(file, SFC_GET_LOG_INFO, log, sizeof log);
  static const std::regex pattern("data : ([0-9]+) \\(should be ([0-9]+)\\)");
  std::cmatch sizes;
  if (!std::regex_search(log, sizes, pattern)) return {};
  const unsigned long long announced = std::stoull(sizes[1]), there = std::stoull(sizes[2]);
  // A recorder that could not go back to its header leaves the largest size.
  if (announced <= there || announced >= 0x7ffff000) return {};
  return "it ends after " + std::to_string(there) + " of the " + std::to_string(announced) +
         " bytes that it announces.";
}

}  // namespace

Result<Sound> decode_sound(int fd, const std::string& name, const SoundFormat& format) {
  const auto unreadable = [&](const std::string& reason) {
    return Error{codes::asset_unreadable, name, reason, "Make the file again, or take it out of the folder."};
  };
  SF_INFO info = {};
  const std::unique_ptr<SNDFILE, int (*)(SNDFILE*)> file(sf_open_fd(fd, SFM_READ, &info, SF_FALSE), sf_close);
  if (!file) return unreadable(sf_strerror(nullptr));
  if (const auto cut = cut_short(file.get()); !cut.empty()) return unreadable(cut);
  if (info.channels < 1 || info.frames < 1) return unreadable("no sound is in it.");
  const int64_t has = info.channels;
  if (format.channels != 1 && format.channels != has)
    return Error{codes::asset_lacks, name,
                 "it has " + std::to_string(has) + (has == 1 ? " channel" : " channels") + "; the graph expects " +
                     std::to_string(format.channels) + ".",
                 "Set the sample sizes of the Dataset node to [1, T] for the mean of all channels."};
  Sound sound;
  sound.rate = info.samplerate;
  std::vector<std::vector<float>> channels(static_cast<size_t>(format.channels));
  std::vector<float> piece(static_cast<size_t>(std::min({kPiece, format.frames, int64_t{info.frames}}) * has));
  while (sound.frames < format.frames) {
    const int64_t want = std::min(static_cast<int64_t>(piece.size()) / has, format.frames - sound.frames);
    const int64_t got = sf_readf_float(file.get(), piece.data(), want);
    if (got <= 0) break;
    const auto* end = piece.data() + got * has;
    if (!std::all_of(static_cast<const float*>(piece.data()), end, [](float v) { return std::isfinite(v); }))
      return unreadable("it holds Inf or NaN.");
    for (const float* frame = piece.data(); frame < end; frame += has) {
      if (format.channels == has) {
        for (size_t c = 0; c < channels.size(); ++c) channels[c].push_back(frame[c]);
      } else {
        double sum = 0;
        for (int64_t c = 0; c < has; ++c) sum += static_cast<double>(frame[c]);
        channels[0].push_back(static_cast<float>(sum / static_cast<double>(has)));
      }
    }
    sound.frames += got;
  }
  for (const auto& channel : channels) sound.samples.insert(sound.samples.end(), channel.begin(), channel.end());
  return sound;
}

}  // namespace hw
