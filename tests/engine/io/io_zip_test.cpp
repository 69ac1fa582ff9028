// Zip archives, byte by byte as the format says; unzip and Python read them in the shell's test.
#include <gtest/gtest.h>

#include "engine/core/codes.h"
#include "engine/io/file/zip.h"
#include "tests/engine/io_temp.h"

namespace hw {
namespace {

using test::TempFolder;

uint32_t number(const std::string& bytes, size_t at, size_t size) {
  uint32_t v = 0;
  for (size_t i = size; i-- > 0;) v = v << 8 | static_cast<unsigned char>(bytes.at(at + i));
  return v;
}

TEST(Zip, EntriesLieWhereTheDirectorySays) {
  const TempFolder folder;
  // The check value of CRC-32/ISO-HDLC for "123456789" is CBF43926.
  const std::vector<ZipEntry> entries{
      {"graph.halfwire", "123456789"}, {"bilder/ü.bin", std::string("\0\1\2", 3)}, {"empty", ""}};
  ASSERT_TRUE(save_zip(entries, folder / "a.zip"));
  const std::string zip = test::read_bytes(folder / "a.zip");
  const size_t end = zip.size() - 22;
  ASSERT_EQ(number(zip, end, 4), 0x06054b50u);
  EXPECT_EQ(number(zip, end + 10, 2), 3u);
  size_t at = number(zip, end + 16, 4);
  EXPECT_EQ(at + number(zip, end + 12, 4), end);
  for (const ZipEntry& e : entries) {
    ASSERT_EQ(number(zip, at, 4), 0x02014b50u);
    EXPECT_EQ(zip.substr(at + 46, number(zip, at + 28, 2)), e.name);
    const size_t local = number(zip, at + 42, 4);
    ASSERT_EQ(number(zip, local, 4), 0x04034b50u);
    EXPECT_EQ(zip.substr(local + 4, 26), zip.substr(at + 6, 26)) << "both headers agree";
    ASSERT_EQ(number(zip, local + 22, 4), e.bytes.size());
    EXPECT_EQ(zip.substr(local + 30, e.name.size()), e.name);
    EXPECT_EQ(zip.substr(local + 30 + e.name.size(), e.bytes.size()), e.bytes);
    at += 46 + e.name.size();
  }
  EXPECT_EQ(at, end);
  EXPECT_EQ(number(zip, 14, 4), 0xCBF43926u);
  ASSERT_TRUE(save_zip(entries, folder / "b.zip"));
  EXPECT_EQ(test::read_bytes(folder / "b.zip"), zip);
}

TEST(Zip, WhereItCannotBeWrittenIsSaid) {
  const TempFolder folder;
  const Status refused = save_zip(std::vector<ZipEntry>{{"a", "b"}}, folder / "nowhere" / "a.zip");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, codes::file_unwritable);
}

}  // namespace
}  // namespace hw
