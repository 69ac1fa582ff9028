// FileAssets: finds and loads meshes, pictures and data sets for nodes.
#pragma once

#include <filesystem>
#include <mutex>

#include "engine/io/file/reach.h"
#include "engine/io/mesh/model.h"
#include "engine/node/node_type.h"

namespace hw {

/// "asset:NAME" is looked up beside the graph, then in asset_folders(); a relative path is beside the graph. Whatever
/// is named, Reach decides on the file that is meant: below the graph, an asset folder, or what was allowed. Cached by
/// path and modification times, those of a model's textures among them. Thread safe.
class FileAssets : public Assets {
 public:
  explicit FileAssets(std::filesystem::path graph_folder);
  Result<std::shared_ptr<const Mesh>> mesh(const std::string& path) override;
  Result<std::shared_ptr<const Image>> image(const std::string& path) override;
  Result<std::shared_ptr<const Dataset>> dataset(const std::string& path, const DatasetSpec& spec) override;
  /// A file, or a folder with all below it, that may be read from now on.
  void allow(const std::filesystem::path& file_or_folder);
  /// What a path parameter names may be read from now on: the user chose it. Of a data set its whole folder.
  void allow_named(Kind kind, const std::string& path);
  Reach reach() const;
  /// Where a path leads. `folder`: a folder is meant; a file stands for the one it lies in. Errors HW-A001 with the
  /// places searched, HW-A006.
  Result<std::filesystem::path> resolve(const std::string& path, bool folder = false) const;
  /// The files that a node's path stands for: a picture; a model, which is read, and its textures; a data set's. None
  /// for what cannot be found.
  std::vector<std::filesystem::path> files(Kind kind, const std::string& path);
  /// Files that a model refers to and that were left out, as they may not be read: absolute paths.
  std::vector<std::string> refused(const std::string& path);

 private:
  /// What was loaded from one path, and the time of the file it was loaded from.
  template <class T>
  struct Cached {
    std::filesystem::file_time_type time;
    std::shared_ptr<const T> value;
  };
  Result<std::shared_ptr<const Model>> model(const std::filesystem::path& file);
  /// What is there of that name, in the order of the places; nothing is decided yet. Error HW-A001.
  Result<std::vector<std::filesystem::path>> candidates(const std::string& path, bool folder) const;

  std::filesystem::path folder_;
  mutable std::mutex reach_mutex_;
  Reach reach_;
  std::mutex mutex_;
  /// A model, or why it cannot be read, and the times of all files that were read: its own, then its textures'.
  struct CachedModel {
    size_t reach = 0;  // roots that it was read with
    std::vector<std::pair<std::filesystem::path, std::filesystem::file_time_type>> times;
    Result<std::shared_ptr<const Model>> value;
  };
  std::map<std::string, CachedModel> models_;
  std::map<std::string, Cached<Image>> images_;
  std::map<std::pair<std::string, DatasetSpec>, Cached<Dataset>> datasets_;
};

}  // namespace hw
