#include "engine/core/memory.h"

#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <limits>

namespace hw {
namespace {

constexpr size_t kUnknown = std::numeric_limits<size_t>::max();

/// The figure behind `label` in a file of lines "label: KIB kB", in bytes.
size_t read_kib(const char* path, std::string_view label) {
  std::ifstream file(path);
  for (std::string word; file >> word;) {
    size_t kib = 0;
    if (word == label && file >> kib) return kib * 1024;
  }
  return kUnknown;
}

}  // namespace

size_t machine_memory() {
  static const size_t bytes = [] {
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    return pages > 0 && page > 0 ? static_cast<size_t>(pages) * static_cast<size_t>(page) : kUnknown;
  }();
  return bytes;
}

size_t available_memory() {
  return read_kib("/proc/meminfo", "MemAvailable:");
}

size_t resident_memory() {
  const size_t bytes = read_kib("/proc/self/status", "VmRSS:");
  return bytes == kUnknown ? 0 : bytes;
}

std::string memory_text(size_t bytes) {
  const char* const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  auto value = static_cast<double>(bytes);
  size_t unit = 0;
  while (value >= 1024 && unit + 1 < std::size(units)) value /= 1024, ++unit;
  char text[32];
  std::snprintf(text, sizeof text, value >= 100 || unit == 0 ? "%.0f %s" : "%.1f %s", value, units[unit]);
  return text;
}

}  // namespace hw
