#include "engine/shader/spirv_cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "engine/core/descriptor.h"

namespace hw::shader {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kHead = "Halfwire SPIR-V 1\n";
constexpr off_t kMostBytes = off_t{64} << 20;

fs::path folder() {
  const auto from = [](const char* name) {
    const char* const value = std::getenv(name);
    return fs::path(value ? value : "");
  };
  fs::path cache = from("XDG_CACHE_HOME");
  if (cache.is_relative()) {  // empty, too
    const fs::path home = from("HOME");
    if (home.is_relative()) return {};
    cache = home / ".cache";
  }
  return cache / "halfwire/shaders";
}

/// FNV-1a, 16 digits.
std::string hash_of(std::string_view bytes) {
  uint64_t hash = 14695981039346656037u;
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(hash));
  return digits;
}

std::string_view bytes_of(const std::vector<uint32_t>& words) {
  return {reinterpret_cast<const char*>(words.data()), words.size() * sizeof(uint32_t)};
}

/// What stands before the words: the text itself, so that another text of this name is found out, and what the words
/// have to be.
std::string head_of(const std::string& text, std::string_view words) {
  return std::string(kHead) + std::to_string(text.size()) + " " + std::to_string(words.size()) + " " + hash_of(words) +
         "\n" + text;
}

/// Open for reading; none: not a file of this user's, or of no such size.
Fd open_own(const fs::path& path) {
  Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat status {};
  const bool own = file.get() >= 0 && ::fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode) &&
                   status.st_uid == ::geteuid() && status.st_size <= kMostBytes;
  return own ? std::move(file) : Fd();
}

void forget_oldest(const fs::path& folder) {
  std::vector<std::pair<fs::file_time_type, fs::path>> files;
  std::error_code ec;
  for (fs::directory_iterator it(folder, ec), end; !ec && it != end; it.increment(ec))
    if (const auto time = it->last_write_time(ec); !ec) files.emplace_back(time, it->path());
  if (files.size() <= kMostKept) return;
  std::ranges::sort(files);
  for (size_t i = 0; i + kMostKept < files.size(); ++i) fs::remove(files[i].second, ec);
}

}  // namespace

std::optional<std::vector<uint32_t>> remembered_spirv(const std::string& text) {
  const fs::path in = folder();
  if (in.empty()) return {};
  const Fd file = open_own(in / hash_of(text));
  if (file.get() < 0) return {};
  const std::string bytes = read_all(file.get());
  const size_t line = bytes.find('\n', kHead.size()), begin = line + 1 + text.size();
  if (line == std::string::npos || begin >= bytes.size()) return {};
  const std::string_view rest = std::string_view(bytes).substr(begin);
  if (rest.size() % sizeof(uint32_t) != 0 || !bytes.starts_with(head_of(text, rest))) return {};
  std::vector<uint32_t> words(rest.size() / sizeof(uint32_t));
  std::memcpy(words.data(), rest.data(), rest.size());
  return words;
}

void remember_spirv(const std::string& text, const std::vector<uint32_t>& words) {
  const fs::path in = folder();
  if (in.empty()) return;
  std::error_code ec;
  if (fs::create_directories(in, ec)) fs::permissions(in, fs::perms::owner_all, ec);
  std::string temporary = in / "new.XXXXXX";
  const Fd file(::mkostemp(temporary.data(), O_CLOEXEC));
  if (file.get() < 0) return;
  const std::string_view bytes = bytes_of(words);
  const bool written = write_all(file.get(), head_of(text, bytes)) && write_all(file.get(), bytes);
  if (!written || ::rename(temporary.c_str(), (in / hash_of(text)).c_str()) != 0) ::unlink(temporary.c_str());
  forget_oldest(in);
}

}  // namespace hw::shader
