// Outcomes of the child that parses pictures and sounds, as bytes in a memory file.
#pragma once

#include <string_view>

#include "engine/core/mesh.h"
#include "engine/io/media/sound.h"

namespace hw {

/// False: the write failed (full, limit).
bool write_outcome(int fd, const Result<Image>& outcome);
bool write_outcome(int fd, const Result<Sound>& outcome);
/// Nothing in `bytes` is trusted: every count is checked against the bytes that are left before memory is taken. Error
/// HW-A004 at `file` when they do not fit; else the outcome that was written.
Result<Image> read_picture(std::string_view bytes, const std::string& file);
Result<Sound> read_sound(std::string_view bytes, const std::string& file, const SoundFormat& format);

}  // namespace hw
