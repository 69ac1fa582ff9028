#include "engine/io/tensor/npz.h"

#include <zip.h>

#include <cerrno>
#include <cstdio>
#include <memory>

#include "engine/core/codes.h"
#include "engine/io/file/file_bytes.h"
#include "engine/io/file/system_error.h"
#include "engine/io/tensor/npy.h"

namespace hw {
namespace {

constexpr std::string_view kEnding = ".npy";

Error bad(const std::string& where, const std::string& reason) {
  return {codes::file_syntax, where, reason, "Save it again with numpy.savez."};
}

/// What libzip could not do: the archive is at fault only where neither memory nor the system is.
Error failed(const std::string& where, zip_error_t* error) {
  const std::string reason = std::string(zip_error_strerror(error)) + ".";
  if (zip_error_code_zip(error) == ZIP_ER_MEMORY)
    return {codes::out_of_memory, where, "there is not enough memory to read it.", "Close other programs."};
  if (zip_error_system_type(error) == ZIP_ET_SYS)
    return {codes::file_unreadable, where, reason, "Check the disk and the file's permissions."};
  return bad(where, reason);
}

using Archive = std::unique_ptr<zip_t, decltype(&zip_discard)>;
struct CloseFile {
  void operator()(FILE* file) const { (void)std::fclose(file); }
};

/// From a stream of our own: one that libzip opens stays open where memory is lacking for it.
Result<Archive> open_archive(const std::filesystem::path& path) {
  std::unique_ptr<FILE, CloseFile> stream(std::fopen(path.c_str(), "rbe"));
  if (!stream) return unreadable(path, errno);
  zip_error_t error;
  zip_error_init(&error);
  const std::unique_ptr<zip_error_t, decltype(&zip_error_fini)> ended(&error, &zip_error_fini);
  std::unique_ptr<zip_source_t, decltype(&zip_source_free)> source(zip_source_filep_create(stream.get(), 0, -1, &error),
                                                                   &zip_source_free);
  if (source) (void)stream.release();  // the source closes it
  Archive archive(source ? zip_open_from_source(source.get(), ZIP_RDONLY, &error) : nullptr, &zip_discard);
  if (archive) {
    (void)source.release();  // the archive frees it
    return archive;
  }
  const Error cause = failed(path.string(), &error);
  return cause.code == codes::file_syntax ? bad(path.string(), "this is not a .npz file, or it is damaged.") : cause;
}

Result<Tensor> read_array(zip_t* archive, const zip_stat_t& entry, const std::string& where) {
  const std::unique_ptr<zip_file_t, decltype(&zip_fclose)> in(zip_fopen_index(archive, entry.index, 0), &zip_fclose);
  if (!in) return failed(where, zip_get_error(archive));
  std::string bytes;
  for (bool more = true; more;) {  // grows as the file gives, whatever size it claims
    const size_t had = bytes.size(), piece = std::min<uint64_t>(entry.size - had + 1, uint64_t{1} << 24);
    bytes.resize(had + piece);
    const zip_int64_t got = zip_fread(in.get(), bytes.data() + had, piece);
    if (got < 0) return failed(where, zip_file_get_error(in.get()));
    bytes.resize(had + static_cast<size_t>(got));
    more = got > 0;
    if (bytes.size() > entry.size) return bad(where, "it has more bytes than it claims.");
  }
  if (bytes.size() < entry.size) return bad(where, "it has fewer bytes than it claims.");
  return parse_npy(std::move(bytes), where);
}

}  // namespace

Result<std::map<std::string, Tensor>> read_npz(const std::filesystem::path& path,
                                               std::map<std::string, Error>* refused) {
  const std::string file = path.string();
  HW_CHECK(size_of_file(path));
  HW_TRY(const Archive archive, open_archive(path));
  const zip_int64_t count = zip_get_num_entries(archive.get(), 0);
  std::map<std::string, Tensor> arrays;
  uint64_t all = 0;
  for (zip_int64_t i = 0; i < count; ++i) {
    zip_stat_t entry;
    const auto at = static_cast<zip_uint64_t>(i);
    if (zip_stat_index(archive.get(), at, 0, &entry) != 0 || !(entry.valid & ZIP_STAT_NAME) ||
        !(entry.valid & ZIP_STAT_SIZE))
      return bad(file, "its list of files is damaged.");
    std::string name(entry.name);
    if (!name.ends_with(kEnding)) continue;
    const std::string where = file + ": " + name;
    name.resize(name.size() - kEnding.size());
    all += entry.size;
    if (all < entry.size) return bad(where, "it claims more bytes than any memory has.");
    HW_CHECK(check_memory_for(path, all + entry.size));  // its bytes beside the array
    Result<Tensor> array = read_array(archive.get(), entry, where);
    if (!array && (!refused || array.error().code == codes::out_of_memory)) return array.error();
    const bool is_first = array
                              ? arrays.emplace(name, *std::move(array)).second && !(refused && refused->contains(name))
                              : refused->emplace(name, array.error()).second && !arrays.contains(name);
    if (!is_first) return bad(where, "there are two files of this name.");
  }
  return arrays;
}

}  // namespace hw
