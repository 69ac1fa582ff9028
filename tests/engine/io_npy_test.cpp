// .npy arrays: bits survive, headers of NumPy's own are read, broken ones refused.
#include <gmock/gmock.h>

#include <cstring>

#include "engine/core/codes.h"
#include "engine/io/npy.h"
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
      {npy("{'descr': '>f4', 'fortran_order': False, 'shape': (1,), }\n", 4), ">f4"},
      {npy("{'descr': '<c8', 'fortran_order': False, 'shape': (1,), }\n", 8), "<c8"},
      {npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }\n", 4), "records"},
      {npy("{'descr': '<f4', 'fortran_order': True, 'shape': (1,), }\n", 4), "ascontiguousarray"},
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
