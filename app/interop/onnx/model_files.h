// The files that the tensors of a model lie in: the model itself, and those that it may name.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "engine/core/result.h"
#include "engine/io/tensor/tensor_file.h"

namespace hw::interop {

/// Open as long as one of these, or a tensor in them, is.
class ModelFiles {
 public:
  /// `open`: the file itself; null: its bytes were read whole.
  explicit ModelFiles(const std::filesystem::path& file, std::shared_ptr<const TensorFile> open = nullptr);

  /// The folder that the model lies in as it was named, and where the link to it leads, as in a cache of downloads.
  const std::filesystem::path& named_folder() const { return named_; }
  const std::filesystem::path& real_folder() const { return real_; }
  const std::shared_ptr<const TensorFile>& model() const { return model_; }
  /// Whether `resolved`, a path without links, lies in one of these folders.
  bool holds(const std::filesystem::path& resolved) const;
  /// What `location`, in the model, means, without links. Error HW-F001 at `tensor`, which it is of: it leads outside.
  Result<std::filesystem::path> resolve(const std::string& location, const std::string& tensor) const;
  /// A file that `holds`, opened once. Error HW-F001.
  Result<std::shared_ptr<const TensorFile>> open(const std::filesystem::path& resolved);

 private:
  std::filesystem::path named_, real_;
  std::shared_ptr<const TensorFile> model_;
  std::map<std::filesystem::path, std::shared_ptr<const TensorFile>> beside_;  // by the path without links
};

}  // namespace hw::interop
