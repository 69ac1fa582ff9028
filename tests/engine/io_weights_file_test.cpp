// safetensors: what is written comes back bit for bit; no header can make the reader take memory or read astray.
#include <gmock/gmock.h>

#include <cstring>

#include "engine/core/codes.h"
#include "engine/core/memory.h"
#include "engine/io/weights_file.h"
#include "tests/engine/io_temp.h"

namespace hw {
namespace {

using test::TempFolder;

std::string file_of(const std::string& header, size_t data, uint64_t length = 0) {
  std::string bytes(8, '\0');
  if (length == 0) length = header.size();
  for (size_t i = 0; i < 8; ++i) bytes[i] = static_cast<char>(length >> (8 * i) & 0xFF);
  return bytes + header + std::string(data, '\x11');
}

/// Bytes 0, 1, 2, … in a tensor of this dtype.
Tensor counted(DType dtype, Dims dims) {
  Tensor t(dtype, std::move(dims));
  for (size_t i = 0; i < t.bytes(); ++i) t.as<uint8_t>()[i] = static_cast<uint8_t>(dtype == DType::boolean ? i % 2 : i);
  return t;
}

TEST(WeightsFile, EveryDtypeComesBackBitForBit) {
  const TempFolder folder;
  WeightsFile w;
  for (const DTypeInfo& d : dtype_table()) {
    if (d.storable) w.tensors["node." + std::string(d.name)] = counted(d.dtype, {3, 5});
  }
  w.tensors["scalar"] = counted(DType::f32, {});
  w.tensors["none"] = counted(DType::f16, {4, 0, 2});
  w.metadata = {{"step", "200"}, {"graph", "Größe"}};
  const Status saved = save_weights(w, folder / "w.safetensors");
  ASSERT_TRUE(saved) << saved.error().text();
  const Result<WeightsFile> back = read_weights(folder / "w.safetensors");
  ASSERT_TRUE(back) << back.error().text();
  EXPECT_EQ(back->metadata, w.metadata);
  ASSERT_EQ(back->tensors.size(), w.tensors.size());
  for (const auto& [name, t] : w.tensors) {
    const Tensor& b = back->tensors.at(name);
    EXPECT_EQ(b.dtype(), t.dtype()) << name;
    EXPECT_EQ(b.dims(), t.dims()) << name;
    ASSERT_EQ(b.bytes(), t.bytes()) << name;
    EXPECT_EQ(std::memcmp(b.data(), t.data(), t.bytes()), 0) << name;
  }
  const std::string first = test::read_bytes(folder / "w.safetensors");
  ASSERT_TRUE(save_weights(*back, folder / "again.safetensors"));
  EXPECT_EQ(test::read_bytes(folder / "again.safetensors"), first);
}

TEST(WeightsFile, CutAnywhereIsRefused) {
  const TempFolder folder;
  WeightsFile w;
  w.tensors["a"] = counted(DType::f32, {2, 2});
  w.tensors["b"] = counted(DType::i8, {3});
  ASSERT_TRUE(save_weights(w, folder / "w"));
  const std::string bytes = test::read_bytes(folder / "w");
  for (size_t n = 0; n < bytes.size(); ++n) {
    test::write_bytes(folder / "cut", std::string_view(bytes).substr(0, n));
    const Result<WeightsFile> r = read_weights(folder / "cut");
    ASSERT_FALSE(r) << n;
    EXPECT_EQ(r.error().code, codes::file_syntax) << n;
  }
  test::write_bytes(folder / "long", bytes + "x");
  EXPECT_FALSE(read_weights(folder / "long"));
}

struct Bad {
  const char* header;
  size_t data;
  const char* reason;
};

TEST(WeightsFile, BadHeadersAreRefusedWithTheReason) {
  const Bad cases[] = {
      {"[]", 0, "not an object"},
      {"{", 0, ""},
      {R"({"a": 1})", 0, "expected an object"},
      {R"({"a": {"shape": [], "data_offsets": [0, 4]}})", 4, "dtype is missing"},
      {R"({"a": {"dtype": "C64", "shape": [1], "data_offsets": [0, 8]}})", 8, "C64"},
      {R"({"a": {"dtype": "F32", "data_offsets": [0, 4]}})", 4, "shape is missing"},
      {R"({"a": {"dtype": "F32", "shape": [-1], "data_offsets": [0, 4]}})", 4, "whole numbers"},
      {R"({"a": {"dtype": "F32", "shape": [1.0], "data_offsets": [0, 4]}})", 4, "whole numbers"},
      {R"({"a": {"dtype": "F32", "shape": [1], "data_offsets": [4]}})", 4, "data_offsets"},
      {R"({"a": {"dtype": "F32", "shape": [1], "data_offsets": [4, 0]}})", 4, "end before"},
      {R"({"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 4]}})", 4, "ask for 8"},
      {R"({"a": {"dtype": "F32", "shape": [4611686018427387904], "data_offsets": [0, 0]}})", 0, "any memory"},
      {R"({"a": {"dtype": "F32", "shape": [4294967296, 4294967296, 4], "data_offsets": [0, 0]}})", 0, "any memory"},
      {R"({"a": {"dtype": "F32", "shape": [18446744073709551615, 0], "data_offsets": [0, 0]}})", 0, "any memory"},
      {R"({"a": {"dtype": "U8", "shape": [1099511627776], "data_offsets": [0, 1099511627776]}})", 4, "end at"},
      {R"({"a": {"dtype": "U8", "shape": [2], "data_offsets": [18446744073709551613, 18446744073709551615]}})", 4,
       "end at"},
      {R"({"a": {"dtype": "U8", "shape": [4], "data_offsets": [0, 4]}, )"
       R"("b": {"dtype": "U8", "shape": [4], "data_offsets": [2, 6]}})",
       6, "overlap"},
      {R"({"a": {"dtype": "U8", "shape": [4], "data_offsets": [0, 4]}, )"
       R"("b": {"dtype": "U8", "shape": [4], "data_offsets": [0, 4]}})",
       4, "overlap"},
      {R"({"a": {"dtype": "U8", "shape": [4], "data_offsets": [2, 6]}})", 6, "gap"},
      {R"({"a": {"dtype": "U8", "shape": [4], "data_offsets": [0, 4]}})", 6, "belong to no tensor"},
      {R"({"a": {"dtype": "U8", "shape": [0], "data_offsets": [0, 0]}, )"
       R"("a": {"dtype": "U8", "shape": [0], "data_offsets": [0, 0]}})",
       0, "twice"},
      {R"({"__metadata__": {"k": 1}})", 0, "expected text"},
      {R"({"__metadata__": []})", 0, "expected an object"},
  };
  const TempFolder folder;
  for (const Bad& bad : cases) {
    test::write_bytes(folder / "w", file_of(bad.header, bad.data));
    const Result<WeightsFile> r = read_weights(folder / "w");
    ASSERT_FALSE(r) << bad.header;
    EXPECT_EQ(r.error().code, codes::file_syntax) << bad.header;
    EXPECT_THAT(r.error().reason, ::testing::HasSubstr(bad.reason)) << bad.header;
  }
}

TEST(WeightsFile, ErrorsNameTheTensor) {
  const TempFolder folder;
  test::write_bytes(folder / "w",
                    file_of(R"({"enc.table": {"dtype": "F99", "shape": [1], "data_offsets": [0, 4]}})", 4));
  const Result<WeightsFile> r = read_weights(folder / "w");
  ASSERT_FALSE(r);
  EXPECT_THAT(r.error().where, ::testing::HasSubstr("enc.table"));
}

TEST(WeightsFile, HeaderLengthIsCheckedFirst) {
  const TempFolder folder;
  for (const uint64_t length : {uint64_t{100}, uint64_t{100'000'001}, uint64_t{1} << 62, ~uint64_t{0}}) {
    test::write_bytes(folder / "w", file_of("{}", 0, length));
    const Result<WeightsFile> r = read_weights(folder / "w");
    ASSERT_FALSE(r) << length;
    EXPECT_EQ(r.error().code, codes::file_syntax);
    EXPECT_THAT(r.error().reason, ::testing::HasSubstr(std::to_string(length)));
  }
}

TEST(WeightsFile, WhatIsLargerThanTheFreeMemoryIsRefusedByName) {
  const TempFolder folder;
  const std::filesystem::path file = folder / "large.safetensors";
  const size_t count = available_memory() / sizeof(float) + (size_t{1} << 28);
  test::write_bytes(file, file_of(R"({"x": {"dtype": "F32", "shape": [)" + std::to_string(count) +
                                      R"(], "data_offsets": [0, )" + std::to_string(count * sizeof(float)) + "]}}",
                                  0));
  std::error_code ec;  // sparse: takes no room on the disk
  std::filesystem::resize_file(file, std::filesystem::file_size(file) + count * sizeof(float), ec);
  if (ec) GTEST_SKIP() << "no file of that size: " << ec.message();
  const Result<WeightsFile> read = read_weights(file);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, codes::out_of_memory);
  EXPECT_EQ(read.error().where, file.string());
}

TEST(WeightsFile, PaddedHeaderAndEmptyFileOfTensors) {
  const TempFolder folder;
  test::write_bytes(folder / "w", file_of("{}      ", 0));
  const Result<WeightsFile> r = read_weights(folder / "w");
  ASSERT_TRUE(r) << r.error().text();
  EXPECT_TRUE(r->tensors.empty());
  const Result<WeightsFile> none = read_weights(folder / "none");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, codes::file_unreadable);
}

}  // namespace
}  // namespace hw
