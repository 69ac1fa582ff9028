#include "engine/shader/spirv_cache.h"

#include <fcntl.h>
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

/// FNV-1a. The text itself stands in the file, so that another text of this name is found out.
std::string name_of(const std::string& text) {
  uint64_t hash = 14695981039346656037u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  char name[17];
  std::snprintf(name, sizeof name, "%016llx", static_cast<unsigned long long>(hash));
  return name;
}

std::string head_of(const std::string& text) {
  return std::string(kHead) + std::to_string(text.size()) + "\n" + text;
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
  const Fd file(::open((in / name_of(text)).c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return {};
  const std::string bytes = read_all(file.get()), head = head_of(text);
  const size_t rest = bytes.size() - std::min(bytes.size(), head.size());
  if (!bytes.starts_with(head) || rest == 0 || rest % sizeof(uint32_t) != 0) return {};
  std::vector<uint32_t> words(rest / sizeof(uint32_t));
  std::memcpy(words.data(), bytes.data() + head.size(), rest);
  return words;
}

void remember_spirv(const std::string& text, const std::vector<uint32_t>& words) {
  const fs::path in = folder();
  if (in.empty()) return;
  std::error_code ec;
  fs::create_directories(in, ec);
  std::string temporary = in / "new.XXXXXX";
  const Fd file(::mkostemp(temporary.data(), O_CLOEXEC));
  if (file.get() < 0) return;
  const bool written =
      write_all(file.get(), head_of(text)) &&
      write_all(file.get(), {reinterpret_cast<const char*>(words.data()), words.size() * sizeof(uint32_t)});
  if (!written || ::rename(temporary.c_str(), (in / name_of(text)).c_str()) != 0) ::unlink(temporary.c_str());
  forget_oldest(in);
}

}  // namespace hw::shader
