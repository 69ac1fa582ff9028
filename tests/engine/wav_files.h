// Sound files for tests.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hw::test {

/// A .wav file of 16 bits (RIFF, WAVE_FORMAT_PCM).
inline std::string wav(const std::vector<int16_t>& samples, int rate, int channels = 1) {
  std::string bytes;
  const auto number = [&](uint32_t value, int count) {
    for (int i = 0; i < count; ++i) bytes.push_back(static_cast<char>(value >> 8 * i));
  };
  const auto size = static_cast<uint32_t>(samples.size() * 2);
  bytes += "RIFF";
  number(36 + size, 4);
  bytes += "WAVEfmt ";
  number(16, 4);
  number(1, 2);
  number(static_cast<uint32_t>(channels), 2);
  number(static_cast<uint32_t>(rate), 4);
  number(static_cast<uint32_t>(rate * channels * 2), 4);
  number(static_cast<uint32_t>(channels * 2), 2);
  number(16, 2);
  bytes += "data";
  number(size, 4);
  for (const int16_t sample : samples) number(static_cast<uint16_t>(sample), 2);
  return bytes;
}

}  // namespace hw::test
