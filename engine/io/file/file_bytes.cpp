#include "engine/io/file/file_bytes.h"

#include <algorithm>
#include <cctype>
#include <cerrno>

#include "engine/core/codes.h"
#include "engine/core/memory.h"
#include "engine/io/file/system_error.h"

namespace hw {

namespace fs = std::filesystem;

constexpr char kEndsSooner[] = "the file ends sooner than when it was looked at.";

std::string ending_of(const fs::path& file) {
  std::string ending = file.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(), [](unsigned char c) { return std::tolower(c); });
  return ending;
}

Result<uint64_t> size_of_file(const fs::path& file) {
  const auto error = [&](const std::string& reason, const std::string& remedy) {
    return Error{codes::file_unreadable, file.string(), reason, remedy};
  };
  std::error_code ec;
  const fs::file_status status = fs::status(file, ec);
  if (status.type() == fs::file_type::not_found) return error("there is no such file.", "Check the path.");
  if (ec) return error(ec.message() + ".", "Check the path and its permissions.");
  if (!fs::is_regular_file(status)) return error("this is not a file.", "Name a file.");
  const uint64_t size = fs::file_size(file, ec);
  if (ec) return error(ec.message() + ".", "Check the path and its permissions.");
  return size;
}

Result<std::string> read_file_bytes(const fs::path& file, uint64_t limit, const char* code) {
  const auto error = [&](const std::string& reason, const std::string& remedy) {
    return Error{code ? code : codes::file_unreadable, file.string(), reason, remedy};
  };
  const auto system = [&](int why) {
    const Error said = unreadable(file, why);
    return error(said.reason, said.remedy);
  };
  const Result<uint64_t> known = size_of_file(file);
  if (!known) return error(known.error().reason, known.error().remedy);
  const uint64_t size = *known;
  if (size > limit)
    return error("the file has " + std::to_string(size) + " bytes; the limit is " + std::to_string(limit) + ".",
                 "Use a smaller file.");
  errno = 0;
  std::ifstream in(file, std::ios::binary);
  if (!in) return system(errno);
  std::string bytes(static_cast<size_t>(size), '\0');
  in.read(bytes.data(), static_cast<std::streamsize>(size));
  if (in.bad()) return system(errno);
  if (static_cast<uint64_t>(in.gcount()) < size) return error(kEndsSooner, "Read it when nobody writes it.");
  return bytes;
}

Result<FileReader> FileReader::open(const fs::path& file, uint64_t at) {
  FileReader reader;
  reader.file_ = file;
  errno = 0;
  reader.in_.open(file, std::ios::binary);
  reader.in_.seekg(static_cast<std::streamoff>(at));
  if (reader.in_) return reader;
  return unreadable(file, errno);
}

Status FileReader::read(void* to, uint64_t size) {
  errno = 0;
  in_.read(static_cast<char*>(to), static_cast<std::streamsize>(size));
  if (in_) return ok();
  if (!in_.eof()) return unreadable(file_, errno);
  return Error{codes::file_unreadable, file_.string(), kEndsSooner, "Read it when nobody writes it."};
}

Result<std::string> read_file_part(const fs::path& file, uint64_t at, uint64_t size) {
  HW_TRY(const uint64_t whole, size_of_file(file));
  if (at > whole || size > whole - at)
    return Error{codes::file_unreadable, file.string(),
                 "it has " + std::to_string(whole) + " bytes; " + std::to_string(size) + " from byte " +
                     std::to_string(at) + " on are wanted.",
                 "Take the whole file."};
  HW_TRY(FileReader in, FileReader::open(file, at));
  std::string bytes(static_cast<size_t>(size), '\0');
  HW_CHECK(in.read(bytes.data(), size));
  return bytes;
}

Status check_memory_for(const fs::path& file, uint64_t bytes) {
  return check_memory_for(file, bytes, available_memory());
}

Status check_memory_for(const fs::path& file, uint64_t bytes, uint64_t free) {
  if (bytes <= free) return ok();
  return Error{codes::out_of_memory, file.string(),
               "reading it takes " + memory_text(bytes) + " of memory, and " + memory_text(free) + " is free.",
               "Use a smaller file, or close other programs."};
}

}  // namespace hw
