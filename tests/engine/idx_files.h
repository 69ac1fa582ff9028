// IDX files made for tests.
#pragma once

#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/engine/io_temp.h"

namespace hw::test {

inline uint8_t idx_byte(size_t i) {
  return static_cast<uint8_t>(i * 37 + 11);
}

/// A file of bytes with these sizes; `bytes` empty: idx_byte of each place.
inline std::string idx(const std::vector<uint32_t>& sizes, std::string bytes = {}) {
  std::string file{'\0', '\0', '\x08', static_cast<char>(sizes.size())};
  size_t count = 1;
  for (const uint32_t size : sizes) {
    for (const int shift : {24, 16, 8, 0}) file += static_cast<char>(size >> shift & 0xFF);
    count *= size;
  }
  if (bytes.empty())
    for (size_t i = 0; i < count; ++i) bytes += static_cast<char>(idx_byte(i));
  return file + bytes;
}

/// The bytes as gzip packs them.
inline std::string gzipped(const std::string& bytes) {
  std::string out(compressBound(bytes.size()) + 64, '\0');
  z_stream z{};
  EXPECT_EQ(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  z.avail_in = static_cast<uInt>(bytes.size());
  z.next_out = reinterpret_cast<Bytef*>(out.data());
  z.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&z, Z_FINISH), Z_STREAM_END);
  out.resize(z.total_out);
  deflateEnd(&z);
  return out;
}

/// The four files of a set under MNIST's names; counts of the two splits, sizes of a picture; labels i % classes.
inline void write_idx_set(const std::filesystem::path& folder, const std::vector<uint32_t>& counts,
                          const std::vector<uint32_t>& picture, uint32_t classes) {
  const char* names[] = {"train", "t10k"};
  for (size_t split = 0; split < 2; ++split) {
    const std::filesystem::path stem = folder / names[split];
    std::vector<uint32_t> sizes = picture;
    sizes.insert(sizes.begin(), counts[split]);
    write_bytes(stem.string() + "-images-idx3-ubyte", idx(sizes));
    std::string labels;
    for (uint32_t i = 0; i < counts[split]; ++i) labels += static_cast<char>(i % classes);
    write_bytes(stem.string() + "-labels-idx1-ubyte", idx({counts[split]}, labels));
  }
}

}  // namespace hw::test
