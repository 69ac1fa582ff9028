// DocumentAssets: files that nodes name, looked up beside the document's file, wherever that is now.
#pragma once

#include <memory>
#include <mutex>

#include "app/document/document.h"
#include "engine/io/asset/assets.h"

namespace hw::app {

/// Follows the document's path. The GUI thread sets the path; the rest may be called from any thread.
class DocumentAssets : public Assets {
 public:
  Result<std::shared_ptr<const Mesh>> mesh(const std::string& path) override;
  Result<std::shared_ptr<const Image>> image(const std::string& path) override;
  Result<std::shared_ptr<const Dataset>> dataset(const std::string& path, const DatasetSpec& spec) override;
  /// FileAssets::files. Any thread.
  std::vector<std::filesystem::path> filesOf(Kind kind, const std::string& path);
  /// FileAssets::refused. Any thread.
  std::vector<std::string> refused(const std::string& path);
  /// Where a path leads; `folder`: a folder is meant. Error HW-A001. Any thread.
  Result<std::filesystem::path> resolve(const std::string& path, bool folder);
  /// Looks beside this graph file from now on; empty: the working directory. Files and folders in `allowed` may be read
  /// besides.
  void setGraphPath(const QString& graphPath, const QStringList& allowed = {});
  void allow(const QStringList& allowed);

 private:
  /// Slow work is done on what this hands out, not under the lock.
  std::shared_ptr<FileAssets> files();
  std::mutex mutex_;
  std::shared_ptr<FileAssets> files_ = std::make_shared<FileAssets>(std::filesystem::path{"."});
};

/// Assets that follow `document` for as long as both live.
std::shared_ptr<DocumentAssets> assets_of(Document& document);

}  // namespace hw::app
