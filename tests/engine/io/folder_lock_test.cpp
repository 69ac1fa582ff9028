// A folder has one holder at a time; a checksum is the one that zip and PNG use.
#include "engine/io/file/folder_lock.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include "engine/core/crc32.h"
#include "tests/engine/io_temp.h"

namespace hw {
namespace {

TEST(FolderLock, HasOneHolderWhoIsNamed) {
  const test::TempFolder folder;
  {
    const auto first = FolderLock::take(folder.path());
    ASSERT_TRUE(first) << first.error().text();
    const auto second = FolderLock::take(folder.path());
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, "HW-F002");
    EXPECT_THAT(second.error().reason, ::testing::HasSubstr("process " + std::to_string(::getpid()) + " on "));
  }
  EXPECT_FALSE(std::filesystem::exists(folder / ".halfwire.lock"));
  EXPECT_TRUE(FolderLock::take(folder.path()));
  EXPECT_FALSE(FolderLock::take(folder / "none"));
}

TEST(Crc32, KnownAnswersInPiecesToo) {
  EXPECT_EQ(crc32("123456789", 9), 0xCBF43926u);  // the check value of the CRC catalogue
  EXPECT_EQ(crc32("", 0), 0u);
  std::string text;
  for (int i = 0; i < 1000; ++i) text += static_cast<char>(i * 37);
  const uint32_t whole = crc32(text.data(), text.size());
  for (size_t cut = 0; cut < 40; ++cut)
    EXPECT_EQ(crc32(text.data() + cut, text.size() - cut, crc32(text.data(), cut)), whole) << cut;
}

}  // namespace
}  // namespace hw
