#include <zlib.h>

#include <array>
#include <memory>

#include "engine/core/codes.h"
#include "engine/io/dataset.h"

namespace hw {

Result<Tensor> read_idx(const std::filesystem::path& file) {
  const auto error = [&](const std::string& reason) {
    return Error{codes::asset_unreadable, file.string(), reason, "Get the file again."};
  };
  // gzread hands plain files through as they are.
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> in(gzopen(file.c_str(), "rb"), gzclose);
  if (!in) return error("the file cannot be opened.");
  gzbuffer(in.get(), 1u << 17);
  const auto read = [&](void* to, uint64_t size) {
    auto* at = static_cast<unsigned char*>(to);
    while (size > 0) {
      const auto part = static_cast<unsigned>(std::min<uint64_t>(size, 1u << 30));
      const int got = gzread(in.get(), at, part);
      if (got <= 0) return false;
      at += got;
      size -= static_cast<uint64_t>(got);
    }
    return true;
  };
  std::array<unsigned char, 4> magic{};
  if (!read(magic.data(), magic.size())) return error("the file is cut short or its compression is damaged.");
  if (magic[0] != 0 || magic[1] != 0 || magic[3] < 1 || magic[3] > 4) return error("this is not an IDX file.");
  if (magic[2] != 0x08) return error("the IDX file does not hold bytes (type 0x08).");
  Dims dims;
  uint64_t bytes = 1;
  for (int axis = 0; axis < magic[3]; ++axis) {
    std::array<unsigned char, 4> size{};
    if (!read(size.data(), size.size())) return error("the IDX header is cut short.");
    dims.push_back(int64_t{size[0]} << 24 | size[1] << 16 | size[2] << 8 | size[3]);
    if (__builtin_mul_overflow(bytes, static_cast<uint64_t>(dims.back()), &bytes) || bytes > kMaxSplitBytes)
      return error("its header asks for more than 8 GiB.");
  }
  // A header may promise what the file does not have: memory is taken as data comes.
  std::error_code ec;
  const uint64_t on_disk = std::filesystem::file_size(file, ec);
  constexpr uint64_t kMostDeflate = 1032;  // a byte of deflate makes no more
  if (!ec && bytes / kMostDeflate > on_disk) return error("its header asks for more bytes than the file has.");
  if (!ec && gzdirect(in.get()) && 4 + 4 * dims.size() + bytes > on_disk)
    return error("its header asks for more bytes than the file has.");
  Tensor tensor(DType::u8, dims);
  if (!read(tensor.data(), bytes)) return error("the file ends before its last sample, or its compression is damaged.");
  unsigned char more = 0;
  if (gzread(in.get(), &more, 1) != 0) return error("the file holds more than its header says.");
  return tensor;
}

}  // namespace hw
