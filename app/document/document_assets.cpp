#include "app/document/document_assets.h"

#include <QFileInfo>

namespace hw::app {

Result<std::shared_ptr<const Mesh>> DocumentAssets::mesh(const std::string& path) {
  std::shared_ptr<FileAssets> files;
  {
    const std::lock_guard lock(mutex_);
    files = files_;
  }
  return files->mesh(path);  // slow: not under the lock
}

void DocumentAssets::setGraphPath(const QString& graphPath) {
  const QString folder = graphPath.isEmpty() ? QStringLiteral(".") : QFileInfo(graphPath).absolutePath();
  auto files = std::make_shared<FileAssets>(std::filesystem::path(folder.toStdU16String()));
  const std::lock_guard lock(mutex_);
  files_ = std::move(files);
}

std::shared_ptr<DocumentAssets> assets_of(Document& document) {
  auto assets = std::make_shared<DocumentAssets>();
  assets->setGraphPath(document.path());
  QObject::connect(&document, &Document::fileChanged, &document,
                   [assets, &document] { assets->setGraphPath(document.path()); });
  return assets;
}

}  // namespace hw::app
