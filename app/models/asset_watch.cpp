#include "app/models/asset_watch.h"

#include <QFileInfo>

#include "app/document/text.h"
#include "engine/core/codes.h"

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

std::vector<AssetWatch::Named> AssetWatch::named() const {
  std::vector<Named> all;
  for (const auto& [id, node] : document_.graph().nodes()) {
    const NodeType* type = Registry::instance().find(node.type);
    for (const ParamDecl& param : type ? type->decl.params() : std::vector<ParamDecl>()) {
      if (param.type != ParamDecl::Type::path) continue;
      const ParamValue value = param_value(node, param.id);
      // An empty one is the validator's to report.
      if (const auto* path = std::get_if<std::string>(&value); path && !path->empty()) {
        all.push_back({id, param.id, *path});
      }
    }
  }
  return all;
}

void AssetWatch::look() {
  if (working_) {
    again_ = true;
    return;
  }
  working_ = true;
  work_.start([this, all = named(), assets = assets_] {
    std::vector<Diagnostic> missing;
    QStringList found;
    for (const Named& n : all) {
      const auto file = assets->resolve(n.path);
      if (file) {
        found.append(QString::fromStdU16String(file->u16string()));
      } else if (!assets->isFolder(n.path)) {
        Diagnostic d;
        d.code = file.error().code;
        d.severity = Severity::error;
        d.node = n.node;
        d.socket = n.param;
        d.reason = "\"" + n.path + "\": " + file.error().reason;
        d.remedies.push_back({tr("Find File…").toStdString(), {}});
        missing.push_back(std::move(d));
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
