#include "engine/io/file/gzip_reader.h"

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#include "engine/core/codes.h"
#include "engine/io/file/system_error.h"

namespace hw {
namespace {

constexpr size_t kPiece = 1u << 17;
constexpr int kGzip = 16 + MAX_WBITS;  // with its header and checksum
constexpr std::string_view kMagic = "\x1f\x8b";

}  // namespace

struct GzipReader::Inflate {
  Inflate() {
    if (inflateInit2(&stream, kGzip) != Z_OK) throw std::bad_alloc();
  }
  ~Inflate() { inflateEnd(&stream); }
  Inflate(const Inflate&) = delete;
  Inflate& operator=(const Inflate&) = delete;
  z_stream stream{};  // stays where it is: zlib remembers the place
};

GzipReader::GzipReader(std::filesystem::path file, Fd descriptor)
    : file_(std::move(file)), descriptor_(std::move(descriptor)) {}
GzipReader::GzipReader(GzipReader&&) noexcept = default;
GzipReader& GzipReader::operator=(GzipReader&&) noexcept = default;
GzipReader::~GzipReader() = default;

Result<GzipReader> GzipReader::open(const std::filesystem::path& file) {
  Fd descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (descriptor.get() < 0) return unreadable(file, errno);
  GzipReader reader(file, std::move(descriptor));
  HW_CHECK(reader.look(kMagic.size()));
  if (reader.at_member()) reader.inflate_ = std::make_unique<Inflate>();
  return reader;
}

Status GzipReader::look(size_t bytes) {
  while (ahead_.size() < bytes) {
    const size_t had = ahead_.size();
    ahead_.resize(had + kPiece);
    const ssize_t got = ::read(descriptor_.get(), ahead_.data() + had, kPiece);
    const int why = errno;
    ahead_.resize(had + static_cast<size_t>(std::max<ssize_t>(got, 0)));
    if (got < 0 && why != EINTR) return unreadable(file_, why);
    if (got == 0) break;
  }
  return ok();
}

bool GzipReader::at_member() const {
  return ahead_.starts_with(kMagic);
}

Result<uint64_t> GzipReader::read(void* to, uint64_t size) {
  auto* at = static_cast<char*>(to);
  const auto damaged = [&] {
    return Error{codes::file_syntax, file_.string(), "what is packed in it is damaged or cut short.",
                 "Get the file again."};
  };
  uint64_t done = 0;
  while (done < size && !ended_) {
    HW_CHECK(look(1));
    if (ahead_.empty() && inflate_) return damaged();
    if (ahead_.empty()) break;
    if (!inflate_) {
      const size_t part = std::min<uint64_t>(size - done, ahead_.size());
      std::memcpy(at + done, ahead_.data(), part);
      ahead_.erase(0, part);
      done += part;
      continue;
    }
    z_stream& stream = inflate_->stream;
    stream.next_in = reinterpret_cast<Bytef*>(ahead_.data());
    stream.avail_in = static_cast<uInt>(ahead_.size());
    const auto part = static_cast<uInt>(std::min<uint64_t>(size - done, 1u << 30));
    stream.next_out = reinterpret_cast<Bytef*>(at + done);
    stream.avail_out = part;
    const int state = inflate(&stream, Z_NO_FLUSH);
    ahead_.erase(0, ahead_.size() - stream.avail_in);
    done += part - stream.avail_out;
    if (state == Z_MEM_ERROR) throw std::bad_alloc();
    if (state != Z_OK && state != Z_STREAM_END) return damaged();
    if (state != Z_STREAM_END) continue;
    HW_CHECK(look(kMagic.size()));
    ended_ = !at_member();
    inflateReset(&stream);
  }
  return done;
}

}  // namespace hw
