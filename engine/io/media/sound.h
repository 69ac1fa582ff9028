// Sounds from files, cut to what a graph expects.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/core/result.h"

namespace hw {

/// What a graph expects of a sound. Of one channel the mean of a file's channels is taken.
struct SoundFormat {
  int64_t channels = 1, frames = 0;
};
struct Sound {
  int64_t rate = 0;            // Hz
  int64_t frames = 0;          // at most those of the SoundFormat
  std::vector<float> samples;  // [SoundFormat::channels][frames], finite
};

/// Read by libsndfile (WAV, FLAC, Ogg) in this process: only a child process does this with untrusted
/// bytes (parser_child.h). `fd`: the file, open for reading; `name` is the place in errors. Errors HW-A002 (file,
/// reason), HW-A003 (other channels).
Result<Sound> decode_sound(int fd, const std::string& name, const SoundFormat& format);

}  // namespace hw
