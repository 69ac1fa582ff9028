// Untrusted pictures and sounds: parsed in a child process, which is handed the open file and can reach nothing
// else. One child reads one file after the other, so that a folder of thousands costs one start.
#pragma once

#include <algorithm>
#include <functional>

#include "engine/core/mesh.h"
#include "engine/io/media/sound.h"

namespace hw {

/// As decode_sound, in the child. Errors also HW-A004 (crash, time, memory: the file is named; the next file gets a new
/// child), HW-A005. Blocks; thread safe.
Result<Sound> load_sound(const std::filesystem::path& file, const SoundFormat& format);

/// How a child parses: `fd`: the file, open for reading; `name` is the place in errors.
struct Parsers {
  std::function<Result<Image>(int fd, const std::string& name, uint64_t memory)> picture;
  std::function<Result<Sound>(int fd, const std::string& name, const SoundFormat& format)> sound;
};
/// decode_image and decode_sound.
Parsers own_parsers();
/// The child's part: limits and confines this process (confine.h: no file can be opened), then answers what its parent
/// asks on the socket `fd`, until that is closed. Returns the exit code.
int serve_parsers(int fd, const Parsers& parsers);

/// The protocol: a message with the request, the file and a memory file for the outcome; one byte when that is
/// written.
struct ParserRequest {
  enum class Kind : uint8_t { picture, sound } kind = Kind::picture;
  uint64_t memory = 0;  // bytes that are free; of a picture
  SoundFormat sound;    // of a sound
};
/// Address space that a child has where `memory` bytes are free, in bytes.
inline constexpr uint64_t address_limit(uint64_t memory) {
  constexpr uint64_t kBase = 1'000'000'000;  // beside what a picture is allowed
  constexpr uint64_t kMost = 6'500'000'000;  // the largest picture with 16 bits takes 40 bytes a pixel
  return std::min(kMost, kBase + std::min(memory, kMost));
}

}  // namespace hw
