// What the benchmarks are given on the command line.
#pragma once

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace hw::bench {

/// Ends the program with exit code 2 unless there are at most `most` arguments.
inline void expect_at_most(int most, int argc, const char* usage) {
  if (argc - 1 <= most) return;
  std::fprintf(stderr, "at most %d arguments, got %d\n%s\n", most, argc - 1, usage);
  std::exit(2);
}

/// Argument `at`, or `otherwise` where it is not given. Ends the program with exit code 2 unless it is a whole number
/// from 1 to 1,000,000.
inline int number_at(int at, int argc, char** argv, int otherwise, const char* usage) {
  if (at >= argc) return otherwise;
  const std::string_view text = argv[at];
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size() && value >= 1 && value <= 1'000'000) return value;
  std::fprintf(stderr, "expected a whole number from 1 to 1000000, got \"%s\"\n%s\n", argv[at], usage);
  std::exit(2);
}

}  // namespace hw::bench
