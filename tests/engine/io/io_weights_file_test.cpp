// safetensors: what is written comes back bit for bit; no header can make the reader take memory or read astray.
#include <gmock/gmock.h>

#include <cstring>
#include <random>

#include "engine/core/codes.h"
#include "engine/core/crc32.h"
#include "engine/core/memory.h"
#include "engine/io/tensor/weights_file.h"
#include "tests/engine/file_limits.h"
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
      {R"({"a": {"dtype": "C64", "shape": [2], "data_offsets": [0, 8]}})", 8, "ask for 16"},
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

// As other tools write them: the rest of the file is read.
TEST(WeightsFile, TensorsOfOtherDtypesAreListed) {
  const TempFolder folder;
  const std::string header =
      R"({"packed": {"dtype": "F4", "shape": [3, 2], "data_offsets": [0, 3]}, "scale": {"dtype": "F8_E8M0", "shape": [1], )"
      R"("data_offsets": [3, 4]}, "new": {"dtype": "F3_X", "shape": [7], "data_offsets": [4, 7]}, )"
      R"("w": {"dtype": "U8", "shape": [1], "data_offsets": [7, 8]}})";
  std::string bytes = file_of(header, 8);
  bytes.back() = 5;
  test::write_bytes(folder / "w.safetensors", bytes);
  const auto read = read_weights(folder / "w.safetensors");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->tensors.size(), 1u);
  EXPECT_EQ(read->tensors.at("w").to_f64().front(), 5);
  ASSERT_EQ(read->unread.size(), 3u);
  EXPECT_EQ(read->unread.at("packed"), "F4 [3, 2]: Halfwire has no such dtype");
  EXPECT_EQ(unread_lines(*read).size(), 3u);
}

TEST(WeightsFile, ErrorsNameTheTensor) {
  const TempFolder folder;
  test::write_bytes(folder / "w",
                    file_of(R"({"enc.table": {"dtype": "F32", "shape": [2], "data_offsets": [0, 4]}})", 4));
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

/// A sparse file of one tensor behind `before` bytes, of more than memory has free; false: the disk has no such file.
bool write_larger_than_memory(const std::filesystem::path& file, size_t before) {
  const size_t count = available_memory() / sizeof(float) + (size_t{1} << 28), end = before + count * sizeof(float);
  const std::string first = before ? R"("a": {"dtype": "U8", "shape": [)" + std::to_string(before) +
                                         R"(], "data_offsets": [0, )" + std::to_string(before) + "]}, "
                                   : "";
  std::string header = "{" + first + R"("x": {"dtype": "F32", "shape": [)" + std::to_string(count) +
                       R"(], "data_offsets": [)" + std::to_string(before) + ", " + std::to_string(end) + "]}}";
  header.append((8 - header.size() % 8) % 8, ' ');
  test::write_bytes(file, file_of(header, 0));
  std::error_code ec;
  std::filesystem::resize_file(file, std::filesystem::file_size(file) + end, ec);
  return !ec;
}

TEST(WeightsFile, WhatIsLargerThanTheFreeMemoryIsMapped) {
  const TempFolder folder;
  if (!write_larger_than_memory(folder / "large", 0)) GTEST_SKIP() << "the disk holds no file of that size";
  const Result<WeightsFile> read = read_weights(folder / "large");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->tensors.at("x").as<float>()[12345], 0);
}

TEST(WeightsFile, WhatCannotBeMappedAndIsLargerThanTheFreeMemoryIsRefused) {
  const TempFolder folder;
  if (!write_larger_than_memory(folder / "large", 1)) GTEST_SKIP() << "the disk holds no file of that size";
  const Result<WeightsFile> read = read_weights(folder / "large");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, codes::out_of_memory);
  EXPECT_EQ(read.error().where, (folder / "large").string());
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

TEST(WeightsFile, LargeTensorsAreMappedAndOutliveTheFile) {
  const TempFolder folder;
  WeightsFile w;
  w.tensors["large"] = counted(DType::bf16, {1 << 17});
  w.tensors["odd"] = counted(DType::u8, {3});
  w.tensors["small"] = counted(DType::f32, {2});
  ASSERT_TRUE(save_weights(w, folder / "w.safetensors"));
  Result<WeightsFile> read = read_weights(folder / "w.safetensors");
  ASSERT_TRUE(read);
  Tensor large = std::move(read->tensors.at("large"));
  *read = {};
  ASSERT_TRUE(std::filesystem::remove(folder / "w.safetensors"));
  EXPECT_EQ(std::memcmp(large.data(), w.tensors.at("large").data(), large.bytes()), 0);
  large.as<uint8_t>()[0] = 77;  // of this process alone
  EXPECT_EQ(large.as<uint8_t>()[0], 77);
}

TEST(WeightsFile, LargeTensorsBesideOddBytesAreCopied) {
  const TempFolder folder;
  const std::string header = R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
                             R"("b":{"dtype":"F32","shape":[32768],"data_offsets":[1,131073]}})";
  test::write_bytes(folder / "w", file_of(header, 131073));
  const Result<WeightsFile> read = read_weights(folder / "w");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(reinterpret_cast<uintptr_t>(read->tensors.at("b").data()) % alignof(float), 0u);
  EXPECT_EQ(read->tensors.at("b").as<uint32_t>()[32767], 0x11111111u);
}

/// Two files and their index.
void write_shards(const TempFolder& folder, const std::string& index) {
  WeightsFile one, two;
  one.tensors["a"] = counted(DType::f32, {2});
  one.metadata[kChecksum];
  two.tensors["b"] = counted(DType::f8e4m3, {3});
  ASSERT_TRUE(save_weights(one, folder / "m-1.safetensors"));
  ASSERT_TRUE(save_weights(two, folder / "m-2.safetensors"));
  test::write_bytes(folder / "m.safetensors.index.json", index);
}

TEST(WeightsFile, AShardedSetIsReadByItsIndex) {
  const TempFolder folder;
  write_shards(folder, R"({"metadata": {}, "weight_map": {"a": "m-1.safetensors", "b": "m-2.safetensors"}})");
  const Result<WeightsFile> read = read_weights(folder / "m.safetensors.index.json");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->tensors.size(), 2u);
  EXPECT_EQ(read->tensors.at("b").dtype(), DType::f8e4m3);
}

TEST(WeightsFile, ABadIndexIsRefusedByNameOfTensorAndFile) {
  const std::pair<const char*, const char*> bad[]{
      {R"([])", "weight_map"},
      {R"({"weight_map": []})", "weight_map"},
      {R"({"weight_map": {"a": 3}})", "name of a file"},
      {R"({"weight_map": {"a": "../m-1.safetensors"}})", "beside the index"},
      {R"({"weight_map": {"a": ".."}})", "beside the index"},
      {R"({"weight_map": {"b": "m-1.safetensors"}})", "not in m-1.safetensors"},
      {R"({"weight_map": {"a": "m-3.safetensors"}})", "no such file"},
      {R"({"weight_map": {"a": "m-1.safetensors", "b": "copy.safetensors"}})", "another file"},
  };
  for (const auto& [index, reason] : bad) {
    const TempFolder folder;
    write_shards(folder, index);
    WeightsFile copy;
    copy.tensors["a"] = counted(DType::f32, {2});
    copy.tensors["b"] = counted(DType::f32, {2});
    ASSERT_TRUE(save_weights(copy, folder / "copy.safetensors"));
    const Result<WeightsFile> read = read_weights(folder / "m.safetensors.index.json");
    ASSERT_FALSE(read) << index;
    EXPECT_THAT(read.error().text(), testing::HasSubstr(reason)) << index;
  }
}

// Bytes of the header and fields of it at random: an error that names the file, or tensors that can be read.
TEST(WeightsFile, MutatedFilesAreReadOrRefused) {
  const TempFolder folder;
  std::mt19937 random(1);
  const auto upto = [&](size_t n) { return static_cast<size_t>(random() % n); };
  const char* const kValues[] = {"-1",
                                 "0",
                                 "1",
                                 "3",
                                 "9223372036854775807",
                                 "18446744073709551615",
                                 "1e300",
                                 "null",
                                 "[]",
                                 "\"F8_E4M3\"",
                                 "\"\"",
                                 "[0,8]",
                                 "[[0]]",
                                 "65536"};
  int read = 0;
  test::FileLimits limits;
  for (int round = 0; round < 2000; ++round) {
    // Fields of two tensors, one of them large enough to be mapped, and now and then another value for one of them.
    std::string fields[] = {"\"F32\"", "[2]", "[0,8]", "\"BF16\"", "[65536]", "[8,131080]", "{\"k\":\"v\"}"};
    if (round % 2) fields[upto(7)] = kValues[upto(14)];
    const std::string header = R"({"a":{"dtype":)" + fields[0] + R"(,"shape":)" + fields[1] + R"(,"data_offsets":)" +
                               fields[2] + R"(},"b":{"dtype":)" + fields[3] + R"(,"shape":)" + fields[4] +
                               R"(,"data_offsets":)" + fields[5] + R"(},"__metadata__":)" + fields[6] + "}";
    std::string bytes = file_of(header, 131080);
    if (round % 2 == 0)
      for (size_t k = 0; k <= upto(4); ++k) bytes[upto(8 + header.size())] = static_cast<char>(random());
    if (upto(8) == 0) bytes.resize(upto(bytes.size()));
    test::write_bytes(folder / "w", bytes);
    limits.begin();
    const Result<WeightsFile> weights = read_weights(folder / "w");
    limits.end();
    if (!weights) {
      EXPECT_THAT(weights.error().where, testing::HasSubstr((folder / "w").string()));
      EXPECT_FALSE(weights.error().reason.empty());
      continue;
    }
    ++read;
    for (const auto& [name, tensor] : weights->tensors)
      EXPECT_NO_FATAL_FAILURE(crc32(tensor.data(), tensor.bytes(), 0)) << name;
  }
  EXPECT_GT(read, 10) << "some changes do no harm";
  limits.check();
}

}  // namespace
}  // namespace hw
