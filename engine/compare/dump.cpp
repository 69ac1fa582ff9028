#include "engine/compare/dump.h"

#include "engine/core/codes.h"
#include "engine/io/tensor/npy.h"
#include "engine/io/tensor/npz.h"

namespace hw {

namespace fs = std::filesystem;

namespace {

std::string reason_of(const Error& error) {
  return error.reason + (error.remedy.empty() ? "" : " " + error.remedy);
}

}  // namespace

Result<DumpFiles> read_dump(const fs::path& from) {
  std::error_code failed;
  DumpFiles dump;
  std::map<std::string, Error> refused;
  if (fs::is_directory(from, failed)) {
    for (fs::recursive_directory_iterator it(from, failed), end; !failed && it != end; it.increment(failed)) {
      if (it->path().extension() != ".npy") continue;
      const std::string name = fs::path(it->path().lexically_relative(from)).replace_extension().generic_string();
      Result<Tensor> tensor = read_npy(it->path());
      if (tensor)
        dump.tensors[name] = *std::move(tensor);
      else if (tensor.error().code == codes::out_of_memory)
        return tensor.error();
      else
        refused[name] = tensor.error();
    }
  } else if (from.extension() == ".npy") {
    HW_TRY(dump.tensors[from.stem().string()], read_npy(from));
  } else {
    HW_TRY(dump.tensors, read_npz(from, &refused));
  }
  if (!failed && dump.tensors.empty() && !refused.empty()) return refused.begin()->second;
  for (const auto& [name, error] : refused) dump.not_read[name] = reason_of(error);
  if (!failed && !dump.tensors.empty()) return dump;
  return Error{
      codes::file_unreadable, from.string(), failed ? failed.message() + "." : "there is no tensor in it.",
      "Name a folder that holds a .npy file for each tensor, or a .npz file; scripts/dump-pytorch writes them."};
}

Error with_not_read(Error error, const NotRead& not_read) {
  for (const auto& [name, why] : not_read) error.reason += " Not read: " + name + ", " + why;
  return error;
}

}  // namespace hw
