// .npy arrays: bits survive, headers of NumPy's own are read, broken ones refused.
#include <gmock/gmock.h>

#include <cstring>

#include "engine/core/codes.h"
#include "engine/io/tensor/npy.h"
#include "tests/engine/io_temp.h"

namespace hw {
namespace {

using test::TempFolder;

std::string npy(const std::string& header, size_t data, char major = 1) {
  std::string bytes("\x93NUMPY", 6);
  bytes += {major, '\0', static_cast<char>(header.size() & 0xFF), static_cast<char>(header.size() >> 8)};
  if (major > 1) bytes += std::string(2, '\0');
  return bytes + header + std::string(data, '\x01');
}

TEST(Npy, DtypesAndShapesComeBack) {
  const TempFolder folder;
  for (const DType d :
       {DType::f64, DType::f32, DType::f16, DType::i64, DType::i32, DType::i8, DType::u8, DType::boolean}) {
    for (const Dims& dims : {Dims{}, Dims{3}, Dims{2, 3}, Dims{0, 4}}) {
      const std::vector<double> values(static_cast<size_t>(element_count(dims)), 1.0);
      const Tensor t = Tensor::from_f64(d, dims, values);
      ASSERT_TRUE(save_npy(t, folder / "a.npy"));
      const Result<Tensor> back = read_npy(folder / "a.npy");
      ASSERT_TRUE(back) << back.error().text();
      EXPECT_EQ(back->dtype(), d);
      EXPECT_EQ(back->dims(), dims);
      EXPECT_EQ(back->to_f64(), values);
      EXPECT_EQ((test::read_bytes(folder / "a.npy").size() - t.bytes()) % 64, 0u) << "data is aligned to 64 bytes";
    }
  }
}

TEST(Npy, NarrowFloatsAreWrittenAsF32) {
  const TempFolder folder;
  const std::vector<double> values{0.5, -3, 448};
  for (const DType d : {DType::bf16, DType::f8e4m3, DType::f8e5m2}) {
    const Tensor t = Tensor::from_f64(d, {3}, values);
    ASSERT_TRUE(save_npy(t, folder / "a.npy"));
    const Result<Tensor> back = read_npy(folder / "a.npy");
    ASSERT_TRUE(back);
    EXPECT_EQ(back->dtype(), DType::f32);
    EXPECT_EQ(back->to_f64(), t.to_f64());
  }
}

TEST(Npy, ReadsWhatNumpyWrites) {
  const TempFolder folder;
  for (const char major : {'\1', '\2', '\3'}) {
    test::write_bytes(folder / "a", npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }   \n", 24, major));
    const Result<Tensor> t = read_npy(folder / "a");
    ASSERT_TRUE(t) << t.error().text();
    EXPECT_EQ(t->dims(), (Dims{2, 3}));
  }
  test::write_bytes(folder / "b", npy("{\"descr\": \"|u1\", \"shape\": (5,), \"fortran_order\": False}\n", 5));
  const Result<Tensor> t = read_npy(folder / "b");
  ASSERT_TRUE(t) << t.error().text();
  EXPECT_EQ(t->dims(), Dims{5});
  EXPECT_EQ(t->dtype(), DType::u8);
}

/// A file of that dtype whose elements are `values`, each in `size` bytes.
std::string whole_numbers(const std::string& descr, const std::string& order, const std::string& shape,
                          const std::vector<uint64_t>& values, size_t size) {
  std::string bytes = npy("{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }\n", 0);
  for (const uint64_t value : values)
    for (size_t i = 0; i < size; ++i)
      bytes += static_cast<char>(value >> 8 * (descr[0] == '>' ? size - 1 - i : i) & 0xff);
  return bytes;
}

TEST(Npy, EitherByteOrderAndEveryWholeNumberAreRead) {
  const TempFolder folder;
  struct Case {
    const char* name;
    DType dtype;
    size_t size;
  };
  for (const Case& c : {Case{"u1", DType::u8, 1},
                        {"i1", DType::i8, 1},
                        {"b1", DType::boolean, 1},
                        {"u2", DType::i32, 2},
                        {"i2", DType::i32, 2},
                        {"u4", DType::i64, 4},
                        {"i4", DType::i32, 4},
                        {"u8", DType::i64, 8},
                        {"i8", DType::i64, 8}}) {
    const bool negative = c.name[0] == 'i';
    const uint64_t last = c.dtype == DType::boolean ? 0 : negative ? ~uint64_t{2} : 200;
    for (const char order : {'<', '>', '='}) {
      test::write_bytes(folder / "a.npy",
                        whole_numbers(order + std::string(c.name), "False", "(3,)", {0, 1, last}, c.size));
      const Result<Tensor> read = read_npy(folder / "a.npy");
      ASSERT_TRUE(read) << read.error().text();
      EXPECT_EQ(read->dtype(), c.dtype) << c.name;
      EXPECT_EQ(read->to_f64(), (std::vector<double>{0, 1, negative ? -3.0 : static_cast<double>(last)})) << c.name;
    }
  }
  // 1.5 and -2 as f2, f4, f8.
  const std::pair<const char*, std::vector<uint64_t>> floats[]{
      {"f2", {0x3e00, 0xc000}}, {"f4", {0x3fc00000, 0xc0000000}}, {"f8", {0x3ff8000000000000, 0xc000000000000000}}};
  for (const auto& [name, values] : floats) {
    for (const char order : {'<', '>'}) {
      test::write_bytes(folder / "f.npy", whole_numbers(order + std::string(name), "False", "(2,)", values,
                                                        static_cast<size_t>(name[1] - '0')));
      EXPECT_EQ(read_npy(folder / "f.npy")->to_f64(), (std::vector<double>{1.5, -2})) << name;
    }
  }
  test::write_bytes(folder / "big.npy", whole_numbers("<u8", "False", "(1,)", {~uint64_t{0}}, 8));
  const auto beyond = read_npy(folder / "big.npy");
  ASSERT_FALSE(beyond);
  EXPECT_THAT(beyond.error().reason, ::testing::HasSubstr("18446744073709551615"));
}

TEST(Npy, FortranOrderIsBroughtToRows) {
  const TempFolder folder;
  // x[i][j][k] = 100 i + 10 j + k of [2, 3, 2], column after column.
  std::vector<uint64_t> columns;
  std::vector<double> rows;
  for (uint64_t k = 0; k < 2; ++k)
    for (uint64_t j = 0; j < 3; ++j)
      for (uint64_t i = 0; i < 2; ++i) columns.push_back(100 * i + 10 * j + k);
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 2; ++k) rows.push_back(100 * i + 10 * j + k);
  for (const char* descr : {"<i4", ">i4", "<u2", ">u8"}) {
    const std::string bytes = whole_numbers(descr, "True", "(2, 3, 2)", columns, static_cast<size_t>(descr[2] - '0'));
    test::write_bytes(folder / "f.npy", bytes);
    const auto read = read_npy(folder / "f.npy");
    ASSERT_TRUE(read) << read.error().text();
    EXPECT_EQ(read->dims(), (Dims{2, 3, 2}));
    EXPECT_EQ(read->to_f64(), rows) << descr;
    EXPECT_EQ(parse_npy(bytes, "f")->to_f64(), rows);
    const auto header = read_npy_header(folder / "f.npy");
    ASSERT_TRUE(header);
    EXPECT_EQ(read_npy(folder / "f.npy", *header, DType::f32)->to_f64(), rows) << "converted as it is read";
  }
  test::write_bytes(folder / "none.npy", whole_numbers("<i4", "True", "(0, 3)", {}, 4));
  EXPECT_EQ(read_npy(folder / "none.npy")->dims(), (Dims{0, 3}));
}

TEST(Npy, BrokenFilesAreRefused) {
  const TempFolder folder;
  const std::string good = npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n", 24);
  for (size_t n = 0; n < good.size(); ++n) {
    test::write_bytes(folder / "cut", std::string_view(good).substr(0, n));
    const Result<Tensor> t = read_npy(folder / "cut");
    ASSERT_FALSE(t) << n;
    EXPECT_EQ(t.error().code, codes::file_syntax);
  }
  const std::pair<std::string, const char*> cases[] = {
      {npy("{'descr': '>U4', 'fortran_order': False, 'shape': (1,), }\n", 16), ">U4"},
      {npy("{'descr': '<c8', 'fortran_order': False, 'shape': (1,), }\n", 8), "<c8"},
      {npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }\n", 4), "records"},
      {npy("{'descr': '<f4', 'fortran_order': Maybe, 'shape': (1,), }\n", 4), "fortran_order"},
      {npy("{'descr': '<f4', 'shape': (1,), }\n", 4), "fortran_order"},
      {npy("{'descr': '<f4', 'fortran_order': False}\n", 4), "shape"},
      {npy("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }\n", 4), "whole numbers"},
      {npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1 2), }\n", 8), "list"},
      {npy("{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775807, 9), }\n", 4), "memory"},
      {npy("{'descr': '<f4', 'fortran_order': False, 'shape': (100000000000,), }\n", 4), "asks for"},
      {npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }\n", 9), "asks for"},
      {npy("{}", 0, 9), "version 9"},
  };
  for (const auto& [bytes, reason] : cases) {
    test::write_bytes(folder / "bad", bytes);
    const Result<Tensor> t = read_npy(folder / "bad");
    ASSERT_FALSE(t) << reason;
    EXPECT_EQ(t.error().code, codes::file_syntax);
    EXPECT_THAT(t.error().reason, ::testing::HasSubstr(reason));
  }
}

}  // namespace
}  // namespace hw
