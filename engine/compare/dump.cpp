#include "engine/compare/dump.h"

#include "engine/core/codes.h"
#include "engine/io/npy.h"
#include "engine/io/npz.h"

namespace hw {

namespace fs = std::filesystem;

Result<Dump> read_dump(const fs::path& from) {
  std::error_code failed;
  Dump dump;
  if (fs::is_directory(from, failed)) {
    for (fs::recursive_directory_iterator it(from, failed), end; !failed && it != end; it.increment(failed)) {
      if (it->path().extension() != ".npy") continue;
      HW_TRY(Tensor tensor, read_npy(it->path()));
      dump[fs::path(it->path().lexically_relative(from)).replace_extension().generic_string()] = std::move(tensor);
    }
  } else if (from.extension() == ".npy") {
    HW_TRY(dump[from.stem().string()], read_npy(from));
  } else {
    HW_TRY(dump, read_npz(from));
  }
  if (!failed && !dump.empty()) return dump;
  return Error{
      codes::file_unreadable, from.string(), failed ? failed.message() + "." : "there is no tensor in it.",
      "Name a folder that holds a .npy file for each tensor, or a .npz file; scripts/dump-pytorch writes them."};
}

}  // namespace hw
