// Cases in which nothing may be printed, and what stands in notes.
#pragma once

#include <gtest/gtest.h>

#include "app/workspace/notes.h"
#include "tests/engine/io_temp.h"

namespace hw::test {

/// A folder of its own, and an eye on stdout and stderr.
class Quiet : public testing::Test {
 protected:
  void SetUp() override {
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
  }
  void TearDown() override {
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  }
  /// The path of a file of this name with these bytes.
  std::string written(const std::string& name, std::string_view bytes) const {
    write_bytes(folder_ / name, bytes);
    return (folder_ / name).string();
  }

  const TempFolder folder_;
  workspace::Notes notes_;
};

inline std::vector<std::string> texts(const workspace::Notes& notes) {
  std::vector<std::string> found;
  for (const workspace::Note& note : notes) found.push_back(note.text);
  return found;
}

}  // namespace hw::test
