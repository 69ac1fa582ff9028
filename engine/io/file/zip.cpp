#include "engine/io/file/zip.h"

#include <zlib.h>

#include <limits>
#include <vector>

#include "engine/core/codes.h"
#include "engine/io/file/atomic_file.h"

namespace hw {
namespace {

constexpr uint32_t kLocalMark = 0x04034b50, kCentralMark = 0x02014b50, kEndMark = 0x06054b50;
constexpr uint16_t kVersion = 20;          // 2.0: folders
constexpr uint16_t kUtf8 = 1 << 11;        // names are UTF-8
constexpr uint16_t kDate = 1 << 5 | 1;     // 1980-01-01: no clock in the bytes
constexpr uint32_t kPlainFile = 0100644u;  // Unix mode of an entry

void put16(std::string& out, uint16_t v) {
  out += static_cast<char>(v & 0xFF);
  out += static_cast<char>(v >> 8);
}

void put32(std::string& out, uint32_t v) {
  put16(out, static_cast<uint16_t>(v & 0xFFFF));
  put16(out, static_cast<uint16_t>(v >> 16));
}

/// What local and central headers share, from "version needed" to the length of the extra field.
void put_common(std::string& out, const ZipEntry& entry) {
  const auto size = static_cast<uint32_t>(entry.bytes.size());
  put16(out, kVersion);
  put16(out, kUtf8);
  put16(out, 0);  // stored
  put16(out, 0);  // midnight
  put16(out, kDate);
  put32(out,
        static_cast<uint32_t>(::crc32_z(0, reinterpret_cast<const Bytef*>(entry.bytes.data()), entry.bytes.size())));
  put32(out, size);
  put32(out, size);
  put16(out, static_cast<uint16_t>(entry.name.size()));
  put16(out, 0);  // no extra field
}

}  // namespace

Status save_zip(std::span<const ZipEntry> entries, const std::filesystem::path& file) {
  constexpr uint64_t most = std::numeric_limits<uint32_t>::max(), most_short = std::numeric_limits<uint16_t>::max();
  uint64_t total = 0;
  bool fits = entries.size() < most_short;
  for (const ZipEntry& e : entries) {
    total += e.bytes.size() + 2 * e.name.size() + 128;
    fits = fits && e.name.size() <= most_short;
  }
  if (!fits || total >= most)
    return Error{codes::file_unwritable, file.string(), "it would be larger than a zip archive may be (4 GiB).",
                 "Leave the largest part out."};
  std::vector<std::string> heads;
  heads.reserve(entries.size());
  std::vector<std::string_view> pieces;
  std::string central;
  uint32_t offset = 0;
  for (const ZipEntry& e : entries) {
    std::string& head = heads.emplace_back();
    put32(head, kLocalMark);
    put_common(head, e);
    head += e.name;
    put32(central, kCentralMark);
    put16(central, kVersion | 3 << 8);  // made by: Unix
    put_common(central, e);
    put16(central, 0);  // no comment
    put16(central, 0);  // disk
    put16(central, 0);  // attributes, internal and external
    put32(central, kPlainFile << 16);
    put32(central, offset);
    central += e.name;
    pieces.insert(pieces.end(), {head, e.bytes});
    offset += static_cast<uint32_t>(head.size() + e.bytes.size());
  }
  const auto size = static_cast<uint32_t>(central.size());
  const auto count = static_cast<uint16_t>(entries.size());
  put32(central, kEndMark);
  put32(central, 0);  // one disk
  put16(central, count);
  put16(central, count);
  put32(central, size);
  put32(central, offset);
  put16(central, 0);  // no comment
  pieces.push_back(central);
  return write_pieces_atomically(file, pieces);
}

}  // namespace hw
