#include <zlib.h>

#include <algorithm>
#include <array>
#include <memory>

#include "engine/core/codes.h"
#include "engine/io/dataset.h"
#include "engine/io/file_bytes.h"

namespace hw {

namespace {

/// A file of bytes behind an IDX header, opened: the data are next.
struct OpenIdx {
  std::unique_ptr<gzFile_s, int (*)(gzFile)> in;
  Dims dims;
  uint64_t bytes = 0;

  bool read(void* to, uint64_t size) const {
    auto* at = static_cast<unsigned char*>(to);
    while (size > 0) {
      const auto part = static_cast<unsigned>(std::min<uint64_t>(size, 1u << 30));
      const int got = gzread(in.get(), at, part);
      if (got <= 0) return false;
      at += got;
      size -= static_cast<uint64_t>(got);
    }
    return true;
  }
};

Error idx_error(const std::filesystem::path& file, const std::string& reason) {
  return {codes::asset_unreadable, file.string(), reason, "Get the file again."};
}

Result<OpenIdx> open_idx(const std::filesystem::path& file) {
  const auto error = [&](const std::string& reason) { return idx_error(file, reason); };
  // gzread hands plain files through as they are.
  OpenIdx idx{{gzopen(file.c_str(), "rb"), gzclose}, {}, 1};
  if (!idx.in) return error("the file cannot be opened.");
  gzbuffer(idx.in.get(), 1u << 17);
  std::array<unsigned char, 4> magic{};
  if (!idx.read(magic.data(), magic.size())) return error("the file is cut short or its compression is damaged.");
  if (magic[0] != 0 || magic[1] != 0 || magic[3] < 1 || magic[3] > 4) return error("this is not an IDX file.");
  if (magic[2] != 0x08) return error("the IDX file does not hold bytes (type 0x08).");
  for (int axis = 0; axis < magic[3]; ++axis) {
    std::array<unsigned char, 4> size{};
    if (!idx.read(size.data(), size.size())) return error("the IDX header is cut short.");
    idx.dims.push_back(int64_t{size[0]} << 24 | size[1] << 16 | size[2] << 8 | size[3]);
    if (__builtin_mul_overflow(idx.bytes, static_cast<uint64_t>(idx.dims.back()), &idx.bytes) || idx.bytes >> 62)
      return error("its header asks for more elements than any memory has.");
  }
  // A header may promise what the file does not have.
  std::error_code ec;
  const uint64_t on_disk = std::filesystem::file_size(file, ec);
  constexpr uint64_t kMostDeflate = 1032;  // a byte of deflate makes no more
  if (!ec && idx.bytes / kMostDeflate > on_disk) return error("its header asks for more bytes than the file has.");
  if (!ec && gzdirect(idx.in.get()) && 4 + 4 * idx.dims.size() + idx.bytes > on_disk)
    return error("its header asks for more bytes than the file has.");
  return idx;
}

}  // namespace

Result<Dims> read_idx_header(const std::filesystem::path& file) {
  HW_TRY(OpenIdx idx, open_idx(file));
  return idx.dims;
}

Result<Tensor> read_idx(const std::filesystem::path& file) {
  const auto error = [&](const std::string& reason) { return idx_error(file, reason); };
  HW_TRY(OpenIdx idx, open_idx(file));
  HW_CHECK(check_memory_for(file, idx.bytes));
  Tensor tensor(DType::u8, idx.dims);  // its pages are taken as data comes
  if (!idx.read(tensor.data(), idx.bytes))
    return error("the file ends before its last sample, or its compression is damaged.");
  unsigned char more = 0;
  if (gzread(idx.in.get(), &more, 1) != 0) return error("the file holds more than its header says.");
  return tensor;
}

}  // namespace hw
