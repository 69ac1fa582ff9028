#include "engine/io/file_bytes.h"

#include <cerrno>
#include <cstring>
#include <fstream>

#include "engine/core/codes.h"

namespace hw {

namespace fs = std::filesystem;

Result<std::string> read_file_bytes(const fs::path& file, uint64_t limit, const char* code) {
  const auto error = [&](const std::string& reason, const std::string& remedy) {
    return Error{code ? code : codes::file_unreadable, file.string(), reason, remedy};
  };
  std::error_code ec;
  const fs::file_status status = fs::status(file, ec);
  if (status.type() == fs::file_type::not_found) return error("there is no such file.", "Check the path.");
  if (ec) return error(ec.message() + ".", "Check the path and its permissions.");
  if (!fs::is_regular_file(status)) return error("this is not a file.", "Name a file.");
  const uint64_t size = fs::file_size(file, ec);
  if (ec) return error(ec.message() + ".", "Check the path and its permissions.");
  if (size > limit)
    return error("the file has " + std::to_string(size) + " bytes; the limit is " + std::to_string(limit) + ".",
                 "Use a smaller file.");
  errno = 0;
  std::ifstream in(file, std::ios::binary);
  if (!in) return error(std::string(std::strerror(errno)) + ".", "Check the file's permissions.");
  std::string bytes(static_cast<size_t>(size), '\0');
  in.read(bytes.data(), static_cast<std::streamsize>(size));
  if (in.bad()) return error(std::string(std::strerror(errno)) + ".", "Check the disk.");
  bytes.resize(static_cast<size_t>(in.gcount()));
  return bytes;
}

}  // namespace hw
