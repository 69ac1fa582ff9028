#include <algorithm>
#include <array>

#include "engine/core/codes.h"
#include "engine/io/dataset/dataset.h"
#include "engine/io/file/file_bytes.h"
#include "engine/io/file/gzip_reader.h"

namespace hw {

namespace {

Error idx_error(const std::filesystem::path& file, const std::string& reason) {
  return {codes::asset_unreadable, file.string(), reason, "Get the file again."};
}

/// A file of bytes behind an IDX header, opened: the data are next.
struct OpenIdx {
  GzipReader in;
  Dims dims;
  uint64_t bytes = 0;
};

/// Error HW-A002: the system's or gzip's reason; `short_of` where the file ends before.
Status read(GzipReader& in, void* to, uint64_t size, const std::filesystem::path& file, const std::string& short_of) {
  const auto got = in.read(to, size);
  if (!got) return Error{codes::asset_unreadable, file.string(), got.error().reason, got.error().remedy};
  return *got == size ? ok() : idx_error(file, short_of);
}

Result<OpenIdx> open_idx(const std::filesystem::path& file) {
  const auto error = [&](const std::string& reason) { return idx_error(file, reason); };
  auto opened = GzipReader::open(file);
  if (!opened) return Error{codes::asset_unreadable, file.string(), opened.error().reason, opened.error().remedy};
  OpenIdx idx{std::move(*opened), {}, 1};
  std::array<unsigned char, 4> magic{};
  HW_CHECK(read(idx.in, magic.data(), magic.size(), file, "the file is cut short."));
  if (magic[0] != 0 || magic[1] != 0 || magic[3] < 1 || magic[3] > 4) return error("this is not an IDX file.");
  if (magic[2] != 0x08) return error("the IDX file does not hold bytes (type 0x08).");
  for (int axis = 0; axis < magic[3]; ++axis) {
    std::array<unsigned char, 4> size{};
    HW_CHECK(read(idx.in, size.data(), size.size(), file, "the IDX header is cut short."));
    idx.dims.push_back(int64_t{size[0]} << 24 | size[1] << 16 | size[2] << 8 | size[3]);
    if (__builtin_mul_overflow(idx.bytes, static_cast<uint64_t>(idx.dims.back()), &idx.bytes) || idx.bytes >> 62)
      return error("its header asks for more elements than any memory has.");
  }
  // A header may promise what the file does not have.
  std::error_code ec;
  const uint64_t on_disk = std::filesystem::file_size(file, ec);
  constexpr uint64_t kMostDeflate = 1032;  // a byte of deflate makes no more
  if (!ec && idx.bytes / kMostDeflate > on_disk) return error("its header asks for more bytes than the file has.");
  if (!ec && !idx.in.is_packed() && 4 + 4 * idx.dims.size() + idx.bytes > on_disk)
    return error("its header asks for more bytes than the file has.");
  return idx;
}

}  // namespace

Result<Dims> read_idx_header(const std::filesystem::path& file) {
  HW_TRY(OpenIdx idx, open_idx(file));
  return idx.dims;
}

Result<Tensor> read_idx(const std::filesystem::path& file) {
  HW_TRY(OpenIdx idx, open_idx(file));
  HW_CHECK(check_memory_for(file, idx.bytes));
  Tensor tensor(DType::u8, idx.dims);  // its pages are taken as data comes
  HW_CHECK(read(idx.in, tensor.data(), idx.bytes, file, "the file ends before its last sample."));
  unsigned char more = 0;
  const auto left = idx.in.read(&more, 1);
  if (!left) return Error{codes::asset_unreadable, file.string(), left.error().reason, left.error().remedy};
  if (*left != 0) return idx_error(file, "the file holds more than its header says.");
  return tensor;
}

}  // namespace hw
