#include "app/document/document_assets.h"

#include <QFileInfo>

namespace hw::app {

std::shared_ptr<FileAssets> DocumentAssets::files() {
  const std::lock_guard lock(mutex_);
  return files_;
}

Result<std::shared_ptr<const Mesh>> DocumentAssets::mesh(const std::string& path) {
  return files()->mesh(path);  // slow: not under the lock
}

Result<std::shared_ptr<const Image>> DocumentAssets::image(const std::string& path) {
  return files()->image(path);
}

Result<std::shared_ptr<const Dataset>> DocumentAssets::dataset(const std::string& path, const DatasetSpec& spec) {
  return files()->dataset(path, spec);
}

std::vector<std::filesystem::path> DocumentAssets::filesOf(Kind kind, const std::string& path) {
  return files()->files(kind, path);
}

std::vector<std::string> DocumentAssets::refused(const std::string& path) {
  return files()->refused(path);
}

Result<std::filesystem::path> DocumentAssets::resolve(const std::string& path, bool folder) {
  return files()->resolve(path, folder);
}

void DocumentAssets::setGraphPath(const QString& graphPath, const QStringList& allowed) {
  const QString folder = graphPath.isEmpty() ? QStringLiteral(".") : QFileInfo(graphPath).absolutePath();
  auto fresh = std::make_shared<FileAssets>(std::filesystem::path(folder.toStdU16String()));
  {
    const std::lock_guard lock(mutex_);
    files_ = std::move(fresh);
  }
  allow(allowed);
}

void DocumentAssets::allow(const QStringList& allowed) {
  const auto files = this->files();
  for (const QString& path : allowed) files->allow(std::filesystem::path(path.toStdU16String()));
}

std::shared_ptr<DocumentAssets> assets_of(Document& document) {
  auto assets = std::make_shared<DocumentAssets>();
  assets->setGraphPath(document.path());
  QObject::connect(&document, &Document::fileChanged, &document,
                   [assets, &document] { assets->setGraphPath(document.path(), document.file().allowed()); });
  QObject::connect(&document, &Document::allowedChanged, &document,
                   [assets, &document] { assets->allow(document.file().allowed()); });
  return assets;
}

}  // namespace hw::app
