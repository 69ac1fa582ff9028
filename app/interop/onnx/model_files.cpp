#include "app/interop/onnx/model_files.h"

#include "engine/core/codes.h"

namespace hw::interop {
namespace {

namespace fs = std::filesystem;

bool lies_in(const fs::path& file, const fs::path& folder) {
  const fs::path inside = file.lexically_relative(folder);
  return !inside.empty() && *inside.begin() != "..";
}

}  // namespace

ModelFiles::ModelFiles(const fs::path& file, std::shared_ptr<const TensorFile> open) : model_(std::move(open)) {
  std::error_code ec;
  named_ = file.has_parent_path() ? file.parent_path() : fs::path(".");
  real_ = fs::weakly_canonical(file, ec).parent_path();
}

bool ModelFiles::holds(const fs::path& resolved) const {
  std::error_code ec;
  return lies_in(resolved, fs::weakly_canonical(named_, ec)) || lies_in(resolved, real_);
}

Result<fs::path> ModelFiles::resolve(const std::string& location, const std::string& tensor) const {
  std::error_code ec;
  fs::path path = fs::weakly_canonical(named_ / location, ec);
  const bool named_inside = lies_in((named_ / location).lexically_normal(), named_.lexically_normal());
  if (!location.empty() && named_inside && holds(path)) return path;
  return Error{codes::file_unreadable, tensor,
               "its external data, \"" + location + "\", lies outside the model's folder" +
                   (named_inside ? ": it is a link to \"" + path.string() + "\"." : "."),
               "Put the file beside the model."};
}

Result<std::shared_ptr<const TensorFile>> ModelFiles::open(const fs::path& resolved) {
  std::shared_ptr<const TensorFile>& file = beside_[resolved];
  if (!file) {
    HW_TRY(TensorFile opened, TensorFile::open(resolved));
    file = std::make_shared<const TensorFile>(std::move(opened));
  }
  return file;
}

}  // namespace hw::interop
