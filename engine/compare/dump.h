// Tensors that another program wrote, by name.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "engine/core/result.h"
#include "engine/core/tensor.h"

namespace hw {

/// By the names that they have in the other program.
using Dump = std::map<std::string, Tensor>;

/// Arrays of a dump that are not read, of a dtype that no tensor has or damaged, by name: why, and what to do.
using NotRead = std::map<std::string, std::string>;

struct DumpFiles {
  Dump tensors;
  NotRead not_read;
};

/// The tensors of a .npz file, a .npy file, or a folder: each .npy file in it and below is one, named by its path
/// there. Errors: HW-R001; HW-F001, HW-F003 where an archive is damaged as a whole, there is no array, or none can be
/// read, the first one's.
Result<DumpFiles> read_dump(const std::filesystem::path& from);

/// An error about a dump, which may come of what was not read of it.
Error with_not_read(Error error, const NotRead& not_read);

}  // namespace hw
