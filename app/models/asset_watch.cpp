#include "app/models/asset_watch.h"

#include <QFileInfo>

#include "app/document/text.h"
#include "engine/io/asset_refs.h"

namespace hw::app {
namespace {

constexpr int kLookMs = 250;
constexpr int kSettleMs = 400;  // a large file is written in many pieces

}  // namespace

AssetWatch::AssetWatch(Document& document, std::shared_ptr<DocumentAssets> assets, QObject* parent)
    : QObject(parent), document_(document), assets_(std::move(assets)) {
  work_.setMaxThreadCount(1);
  lookSoon_.setSingleShot(true);
  lookSoon_.setInterval(kLookMs);
  connect(&lookSoon_, &QTimer::timeout, this, &AssetWatch::look);
  for (const auto change : {&Document::structureChanged, &Document::reset, &Document::fileChanged}) {
    connect(&document, change, this, [this] { lookSoon_.start(); });
  }
  tellSoon_.setSingleShot(true);
  tellSoon_.setInterval(kSettleMs);
  connect(&tellSoon_, &QTimer::timeout, this, [this] {
    for (const QString& path : std::exchange(written_, {})) {
      if (QFileInfo::exists(path)) Q_EMIT fileChanged(QFileInfo(path).fileName());
    }
    look();
  });
  connect(&watcher_, &QFileSystemWatcher::fileChanged, this, &AssetWatch::onDisk);
}

AssetWatch::~AssetWatch() {
  work_.waitForDone();
}

void AssetWatch::onDisk(const QString& path) {
  if (!written_.contains(path)) written_.append(path);
  tellSoon_.start();
}

void AssetWatch::look() {
  if (working_) {
    again_ = true;
    return;
  }
  working_ = true;
  work_.start([this, all = asset_refs(document_.graph()), assets = assets_] {
    std::vector<Diagnostic> missing;
    QStringList found;
    for (const AssetRef& ref : all) {
      const bool folder = ref.kind == Kind::dataset;
      const auto file = assets->resolve(ref.path, folder);
      if (!file) {
        missing.push_back(asset_problem(ref, file.error()));
        missing.back().remedies.push_back({tr("Find File…").toStdString(), {}});
      } else if (!folder) {
        found.append(QString::fromStdU16String(file->u16string()));
      }
    }
    // The destructor waits for this thread.
    QMetaObject::invokeMethod(
        this,
        [this, missing, found] {
          working_ = false;
          for (const QString& path : found) {
            if (!watcher_.files().contains(path)) watcher_.addPath(path);  // one that was replaced is dropped by itself
          }
          for (const QString& path : watcher_.files()) {
            if (!found.contains(path)) watcher_.removePath(path);
          }
          missing_ = missing;
          Q_EMIT missingChanged();
          if (std::exchange(again_, false)) look();
        },
        Qt::QueuedConnection);
  });
}

}  // namespace hw::app
