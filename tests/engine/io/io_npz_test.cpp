// .npz archives: what save_zip stores is read by name; damaged ones are refused by array.
#include <gmock/gmock.h>

#include <cstring>
#include <random>

#include "engine/core/codes.h"
#include "engine/io/file/zip.h"
#include "engine/io/tensor/npy.h"
#include "engine/io/tensor/npz.h"
#include "tests/engine/io_temp.h"

namespace hw {
namespace {

using test::TempFolder;
using ::testing::HasSubstr;

/// numpy.savez_compressed(file, ones=numpy.ones(64, "<f4")) of NumPy 2.4.6: deflate, zip64 headers.
constexpr unsigned char kCompressed[]{
    0x50, 0x4b, 0x03, 0x04, 0x2d, 0x00, 0x00, 0x00, 0x08, 0x00, 0x00, 0x00, 0x21, 0x00, 0xb5, 0x6c, 0x76, 0x04, 0xff,
    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x08, 0x00, 0x14, 0x00, 0x6f, 0x6e, 0x65, 0x73, 0x2e, 0x6e, 0x70, 0x79,
    0x01, 0x00, 0x10, 0x00, 0x80, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x4b, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x9b, 0xec, 0x17, 0xea, 0x1b, 0x10, 0xc9, 0xc8, 0x50, 0xc6, 0x50, 0xad, 0x9e, 0x92, 0x5a, 0x9c, 0x5c, 0xa4,
    0x6e, 0xa5, 0xa0, 0x6e, 0x93, 0x66, 0xa2, 0xae, 0xa3, 0xa0, 0x9e, 0x96, 0x5f, 0x54, 0x52, 0x94, 0x98, 0x17, 0x9f,
    0x5f, 0x94, 0x92, 0x0a, 0x12, 0x77, 0x4b, 0xcc, 0x29, 0x4e, 0x05, 0x8a, 0x17, 0x67, 0x24, 0x16, 0xa4, 0x02, 0xf9,
    0x1a, 0x66, 0x26, 0x3a, 0x9a, 0x3a, 0x0a, 0xb5, 0x0a, 0xe4, 0x03, 0x2e, 0x06, 0x86, 0x06, 0xfb, 0x91, 0x8c, 0x01,
    0x50, 0x4b, 0x01, 0x02, 0x2d, 0x03, 0x2d, 0x00, 0x00, 0x00, 0x08, 0x00, 0x00, 0x00, 0x21, 0x00, 0xb5, 0x6c, 0x76,
    0x04, 0x4b, 0x00, 0x00, 0x00, 0x80, 0x01, 0x00, 0x00, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x80, 0x01, 0x00, 0x00, 0x00, 0x00, 0x6f, 0x6e, 0x65, 0x73, 0x2e, 0x6e, 0x70, 0x79, 0x50, 0x4b, 0x05,
    0x06, 0x00, 0x00, 0x00, 0x00, 0x01, 0x00, 0x01, 0x00, 0x36, 0x00, 0x00, 0x00, 0x85, 0x00, 0x00, 0x00, 0x00, 0x00};

std::string npy_bytes(const TempFolder& folder, const Tensor& tensor) {
  EXPECT_TRUE(save_npy(tensor, folder / "one.npy"));
  return test::read_bytes(folder / "one.npy");
}

TEST(Npz, ArraysAreReadByName) {
  const TempFolder folder;
  const Tensor a = Tensor::from_f32(DType::f32, {2, 3}, std::vector<float>{1, 2, 3, 4, 5, 6});
  const Tensor b = Tensor::from_f64(DType::i64, {}, std::vector<double>{7});
  const ZipEntry entries[]{
      {"layer1.0.conv.npy", npy_bytes(folder, a)}, {"folder/b.npy", npy_bytes(folder, b)}, {"README", "words"}};
  ASSERT_TRUE(save_zip(entries, folder / "d.npz"));
  const auto read = read_npz(folder / "d.npz");
  ASSERT_TRUE(read) << read.error().text();
  ASSERT_EQ(read->size(), 2u);
  EXPECT_EQ(read->at("layer1.0.conv").to_f64(), a.to_f64());
  EXPECT_EQ(read->at("folder/b").dtype(), DType::i64);
}

TEST(Npz, DeflatedArraysAreRead) {
  const TempFolder folder;
  const std::string bytes(reinterpret_cast<const char*>(kCompressed), sizeof kCompressed);
  test::write_bytes(folder / "c.npz", bytes);
  const auto read = read_npz(folder / "c.npz");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->at("ones").to_f64(), std::vector<double>(64, 1.0));
}

TEST(Npz, WhatIsNoArchiveOrDamagedIsRefused) {
  const TempFolder folder;
  EXPECT_EQ(read_npz(folder / "none.npz").error().code, codes::file_unreadable);
  test::write_bytes(folder / "words.npz", "words");
  EXPECT_EQ(read_npz(folder / "words.npz").error().code, codes::file_syntax);
  const ZipEntry wrong[]{{"a.npy", "no array"}};
  ASSERT_TRUE(save_zip(wrong, folder / "wrong.npz"));
  EXPECT_THAT(read_npz(folder / "wrong.npz").error().where, HasSubstr("wrong.npz: a.npy"));

  const Tensor a = Tensor::from_f64(DType::f32, {50}, std::vector<double>(50, 2.0));
  const ZipEntry entries[]{{"a.npy", npy_bytes(folder, a)}, {"b.npy", npy_bytes(folder, a)}};
  ASSERT_TRUE(save_zip(entries, folder / "d.npz"));
  const std::string whole = test::read_bytes(folder / "d.npz");
  std::mt19937 random(1);
  int read = 0;
  for (int round = 0; round < 500; ++round) {
    std::string bytes = whole;
    for (size_t k = 0; k <= random() % 4; ++k) bytes[random() % bytes.size()] = static_cast<char>(random());
    if (random() % 4 == 0) bytes.resize(random() % bytes.size());
    test::write_bytes(folder / "m.npz", bytes);
    const auto arrays = read_npz(folder / "m.npz");
    if (!arrays) {
      EXPECT_THAT(arrays.error().where, HasSubstr("m.npz"));
    }
    read += static_cast<bool>(arrays);
  }
  EXPECT_GT(read, 0) << "dates do not matter";
}

}  // namespace
}  // namespace hw
