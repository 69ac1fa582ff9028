// Parts of files.
#include <gtest/gtest.h>

#include <limits>

#include "engine/core/codes.h"
#include "engine/io/file/file_bytes.h"
#include "tests/engine/io_temp.h"

namespace hw::test {
namespace {

TEST(FilePart, NoMemoryIsTakenForWhatTheFileDoesNotHave) {
  const TempFolder folder;
  write_bytes(folder / "e.bin", "abc");
  EXPECT_EQ(*read_file_part(folder / "e.bin", 1, 2), "bc");
  constexpr uint64_t most = std::numeric_limits<uint64_t>::max();
  for (const auto& [at, size] : {std::pair(uint64_t{2}, uint64_t{2}), {0, most}, {most, 1}, {most, most}}) {
    const auto part = read_file_part(folder / "e.bin", at, size);
    ASSERT_FALSE(part) << at << " " << size;
    EXPECT_EQ(part.error().code, codes::file_unreadable);
  }
}

}  // namespace
}  // namespace hw::test
