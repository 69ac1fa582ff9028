// GGUF files: tensors of plain dtypes are read, those in blocks listed, damaged ones refused.
#include <gmock/gmock.h>

#include "engine/core/codes.h"
#include "engine/io/tensor/weights_file.h"
#include "tests/engine/io_temp.h"

namespace hw::test {
namespace {

using ::testing::HasSubstr;

template <class T>
std::string raw(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}
std::string text(const std::string& value) {
  return raw<uint64_t>(value.size()) + value;
}
std::string tensor(const std::string& name, const std::vector<uint64_t>& sizes, uint32_t type, uint64_t at) {
  std::string made = text(name) + raw<uint32_t>(static_cast<uint32_t>(sizes.size()));
  for (const uint64_t size : sizes) made += raw(size);
  return made + raw(type) + raw(at);
}

/// Two rows of three floats, one tensor in blocks, words and an alignment of 64.
std::string file(uint32_t version = 3, uint64_t first_at = 0) {
  std::string made = "GGUF" + raw(version) + raw<uint64_t>(2) + raw<uint64_t>(3);
  made += text("general.name") + raw<uint32_t>(8) + text("a small one");
  made += text("tokens") + raw<uint32_t>(9) + raw<uint32_t>(8) + raw<uint64_t>(2) + text("a") + text("b");
  made += text("general.alignment") + raw<uint32_t>(4) + raw<uint32_t>(64);
  made += tensor("blk.0.ffn_up.weight", {3, 2}, 0, first_at) + tensor("output.weight", {32, 8}, 12, 64);
  made.resize((made.size() + 63) / 64 * 64);
  for (const float x : {1.f, 2.f, 3.f, 4.f, 5.f, 6.f}) made += raw(x);
  made.resize(made.size() + 200);
  return made;
}

Result<WeightsFile> read(const std::string& bytes) {
  const TempFolder folder;
  write_bytes(folder / "w.gguf", bytes);
  return read_weights(folder / "w.gguf");
}

TEST(Gguf, PlainTensorsAreReadAndOthersListed) {
  const auto weights = read(file());
  ASSERT_TRUE(weights) << weights.error().text();
  const Tensor& up = weights->tensors.at("blk.0.ffn_up.weight");
  EXPECT_EQ(up.dims(), (Dims{2, 3})) << "outermost first";
  EXPECT_EQ(up.to_f64(), (std::vector<double>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(weights->tensors.size(), 1u);
  EXPECT_EQ(weights->unread.at("output.weight"), "Q4_K [8, 32]: Halfwire has no such dtype");
}

TEST(Gguf, CutAnywhereIsRefused) {
  const std::string whole = file();
  for (size_t size = 4; size < whole.size() - 200; ++size) EXPECT_FALSE(read(whole.substr(0, size))) << size;
}

TEST(Gguf, WhatCannotBeIsRefusedWithTheReason) {
  EXPECT_THAT(read(file(1)).error().reason, HasSubstr("version 1"));
  EXPECT_THAT(read(file(3, 4096)).error().reason, HasSubstr("blk.0.ffn_up.weight: its bytes end at 4120"));
  std::string many = file();
  many.replace(8, 8, raw<uint64_t>(uint64_t{1} << 40));
  EXPECT_THAT(read(many).error().reason, HasSubstr("more entries"));
}

TEST(Gguf, MutatedFilesAreReadOrRefused) {
  const std::string whole = file();
  uint32_t state = 1;
  int read_whole = 0, refused = 0;
  for (int i = 0; i < 2000; ++i) {
    std::string bytes = whole;
    for (int k = 0; k < 3; ++k) {
      state = state * 1664525 + 1013904223;
      bytes[4 + (state >> 8) % (bytes.size() - 4)] = static_cast<char>(state >> 24);
    }
    const auto weights = read(bytes);
    EXPECT_TRUE(weights || !weights.error().reason.empty());
    ++(weights ? read_whole : refused);
  }
  EXPECT_GE(read_whole, 94) << "those of which only bytes behind the numbers are others";
  EXPECT_GE(refused, 49) << "those of which the version is another";
}

}  // namespace
}  // namespace hw::test
