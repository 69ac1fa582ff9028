// What reading many damaged files may take.
#pragma once

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <ctime>

namespace hw::test {

/// begin() before each file, end() behind it, check() at last: none took more than two seconds of the processor's time,
/// and the process grew by no more than 1 GiB. The worst are properties of the test.
class FileLimits {
 public:
  FileLimits() : before_(peak_mebibytes()) {}
  void begin() { began_ = std::clock(); }
  void end() { slowest_ = std::max(slowest_, static_cast<double>(std::clock() - began_) / CLOCKS_PER_SEC); }
  void check() const {
    const long grown = peak_mebibytes() - before_;
    testing::Test::RecordProperty("slowest_ms", static_cast<int>(slowest_ * 1000));
    testing::Test::RecordProperty("grown_mib", static_cast<int>(grown));
    EXPECT_LT(slowest_, 2) << "seconds for one file";
    EXPECT_LT(grown, 1024) << "MiB";
  }

 private:
  static long peak_mebibytes() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss / 1024;
  }

  const long before_;
  std::clock_t began_ = 0;
  double slowest_ = 0;
};

}  // namespace hw::test
