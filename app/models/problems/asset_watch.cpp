#include "app/models/problems/asset_watch.h"

#include <QFileInfo>
#include <algorithm>

#include "app/document/allow_remedy.h"
#include "app/document/task.h"
#include "app/document/text.h"
#include "app/workspace/assets.h"

namespace hw::app {
namespace {

constexpr int kLookMs = 250;
constexpr int kSettleMs = 400;     // a large file is written in many pieces
constexpr size_t kMostFiles = 64;  // of one parameter: a data set may be a hundred thousand pictures

}  // namespace

AssetWatch::AssetWatch(Document& document, std::shared_ptr<DocumentAssets> assets, QObject* parent)
    : QObject(parent), document_(document), assets_(std::move(assets)) {
  work_.setMaxThreadCount(1);
  lookSoon_.setSingleShot(true);
  lookSoon_.setInterval(kLookMs);
  connect(&lookSoon_, &QTimer::timeout, this, &AssetWatch::look);
  for (const auto change :
       {&Document::structureChanged, &Document::reset, &Document::fileChanged, &Document::allowedChanged}) {
    connect(&document, change, this, [this] { lookSoon_.start(); });
  }
  notifySoon_.setSingleShot(true);
  notifySoon_.setInterval(kSettleMs);
  connect(&notifySoon_, &QTimer::timeout, this, [this] {
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
  notifySoon_.start();
}

void AssetWatch::look() {
  if (working_) {
    again_ = true;
    return;
  }
  working_ = true;
  std::vector<AssetRef> refs = asset_refs(document_.flat());
  auto graph = refs.empty() ? nullptr : std::make_shared<const Graph>(document_.flat());
  start_task(
      work_, this,
      [this, graph = std::move(graph), all = std::move(refs), assets = assets_] {
        std::vector<Diagnostic> problems;
        QStringList found;
        for (const AssetRef& ref : all) {
          const auto file = assets->resolve(ref.path, ref.kind == Kind::dataset);
          if (!file) {
            problems.push_back(asset_problem(ref, file.error()));
            if (file.error().code == codes::asset_refused) problems.back().remedies.push_back(allow_remedy());
            const QString find = ref.kind == Kind::dataset ? tr("Choose Folder…") : tr("Find File…");
            problems.back().remedies.push_back({find.toStdString(), {}});
            continue;
          }
          auto lacks = workspace::file_problems(*graph, ref, *assets,
                                                [&](const std::string& path) { return assets->refused(path); });
          if (lacks) {
            for (Diagnostic& problem : *lacks) {
              if (ref.kind == Kind::mesh && problem.code == codes::asset_refused)
                problem.remedies.push_back(allow_remedy());
              problems.push_back(std::move(problem));
            }
          } else {
            problems.push_back(asset_problem(ref, lacks.error()));
          }
          std::vector<std::filesystem::path> files = assets->filesOf(ref.kind, ref.path);
          files.resize(std::min(files.size(), kMostFiles));
          for (const std::filesystem::path& used : files) {
            const QString name = QString::fromStdU16String(used.u16string());
            if (!found.contains(name)) found.append(name);
          }
        }
        // The destructor waits for this thread.
        QMetaObject::invokeMethod(
            this,
            [this, problems, found] {
              working_ = false;
              for (const QString& path : found) {
                if (!watcher_.files().contains(path))
                  watcher_.addPath(path);  // one that was replaced is dropped by itself
              }
              for (const QString& path : watcher_.files()) {
                if (!found.contains(path)) watcher_.removePath(path);
              }
              problems_ = problems;
              Q_EMIT problemsChanged();
              if (std::exchange(again_, false)) look();
            },
            Qt::QueuedConnection);
      },
      [this](const Error&) { working_ = false; });  // what was known stays; the next change looks again
}

}  // namespace hw::app
