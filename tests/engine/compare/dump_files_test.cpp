// Tensors of another program from a folder or an archive: names, and arrays that cannot be read.
#include <gmock/gmock.h>

#include "engine/compare/dump.h"
#include "engine/core/codes.h"
#include "engine/io/file/zip.h"
#include "engine/io/tensor/npy.h"
#include "tests/engine/io_temp.h"

namespace hw::test {
namespace {

using ::testing::HasSubstr;

const Tensor kTensor = Tensor::from_f32(DType::f32, {2, 3}, std::vector<float>{1, 2, 3, 4, 5, 6});

TEST(DumpFiles, FoldersArraysAndWhatIsNone) {
  const TempFolder folder;
  std::filesystem::create_directory(folder / "blocks");
  ASSERT_TRUE(save_npy(kTensor, folder / "blocks/act.npy"));
  ASSERT_TRUE(save_npy(kTensor, folder / "layer1.0.conv1.npy"));
  const auto all = read_dump(folder.path());
  ASSERT_TRUE(all) << all.error().text();
  ASSERT_EQ(all->tensors.size(), 2u);
  EXPECT_TRUE(all->tensors.contains("blocks/act"));
  EXPECT_TRUE(all->tensors.contains("layer1.0.conv1"));
  EXPECT_TRUE(all->not_read.empty());
  const auto one = read_dump(folder / "blocks/act.npy");
  ASSERT_TRUE(one) << one.error().text();
  EXPECT_TRUE(one->tensors.contains("act"));
  const TempFolder empty;
  EXPECT_EQ(read_dump(empty.path()).error().code, codes::file_unreadable);
  EXPECT_EQ(read_dump(empty / "nowhere").error().code, codes::file_unreadable);
}

TEST(DumpFiles, AnArrayThatCannotBeReadIsListedAndTheOthersAreRead) {
  const auto npy = [](const std::string& descr, size_t bytes) {
    std::string header = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (2,), }";
    header.resize(118, ' ');
    return std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + std::string(bytes, '\0');
  };
  const TempFolder folder;
  std::filesystem::create_directory(folder / "blocks");
  ASSERT_TRUE(save_npy(kTensor, folder / "act.npy"));
  write_bytes(folder / "blocks/turned.npy", npy("<c8", 16));
  write_bytes(folder / "words.npy", npy("<U4", 32));
  write_bytes(folder / "short.npy", npy("<f4", 5));
  write_bytes(folder / "empty.npy", "");
  const auto found = read_dump(folder.path());
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_EQ(found->tensors.size(), 1u);
  ASSERT_EQ(found->not_read.size(), 4u);
  EXPECT_THAT(found->not_read.at("blocks/turned"), HasSubstr("'<c8' is not read"));
  EXPECT_THAT(found->not_read.at("blocks/turned"), HasSubstr("x.imag")) << "with what to do";
  EXPECT_THAT(found->not_read.at("words"), HasSubstr("'<U4' is not read"));
  EXPECT_THAT(found->not_read.at("short"), HasSubstr("the file has 5"));
  const Error error = with_not_read(Error{codes::file_syntax, "dump", "nothing was compared.", ""}, found->not_read);
  EXPECT_THAT(error.reason, HasSubstr("Not read: words, dtype '<U4'")) << error.reason;
  std::filesystem::remove(folder / "act.npy");
  EXPECT_EQ(read_dump(folder.path()).error().code, codes::file_syntax) << "none of them can be read";
}

TEST(DumpFiles, AnArrayOfAnArchiveThatCannotBeReadIsListed) {
  const TempFolder folder;
  ASSERT_TRUE(save_npy(kTensor, folder / "one.npy"));
  const std::string whole = read_bytes(folder / "one.npy");
  const ZipEntry entries[]{{"a.npy", whole}, {"b.npy", whole.substr(0, 140)}, {"c.npy", whole}};
  ASSERT_TRUE(save_zip(entries, folder / "d.npz"));
  const auto found = read_dump(folder / "d.npz");
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_EQ(found->tensors.size(), 2u);
  EXPECT_EQ(found->tensors.at("c").to_f64(), kTensor.to_f64());
  ASSERT_EQ(found->not_read.size(), 1u);
  EXPECT_THAT(found->not_read.at("b"), HasSubstr("the shape asks for 24 bytes; the file has 12"));
  const ZipEntry twice[]{{"a.npy", "no array"}, {"a.npy", whole}};
  ASSERT_TRUE(save_zip(twice, folder / "t.npz"));
  EXPECT_THAT(read_dump(folder / "t.npz").error().reason, HasSubstr("two files of this name"));
}

}  // namespace
}  // namespace hw::test
