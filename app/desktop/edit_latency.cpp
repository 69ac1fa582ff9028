#include "app/desktop/edit_latency.h"

#include <QCoreApplication>
#include <QFile>
#include <QJsonDocument>
#include <QQuickWindow>
#include <algorithm>

#include "engine/core/crc32.h"

namespace hw::app {

EditLatency* EditLatency::start(Shell& shell, QQuickWindow* window) {
  const QString path = qEnvironmentVariable("HALFWIRE_LATENCY");
  return path.isEmpty() ? nullptr : new EditLatency(shell, window, path);
}

EditLatency::EditLatency(Shell& shell, QQuickWindow* window, QString path)
    : QObject(window), shell_(shell), path_(std::move(path)) {
  clock_.start();
  connect(&shell, &Shell::shownChanged, this, &EditLatency::attach);
  connect(window, &QQuickWindow::afterSynchronizing, this, &EditLatency::synchronised, Qt::DirectConnection);
  connect(QCoreApplication::instance(), &QCoreApplication::aboutToQuit, this, &EditLatency::write);
  attach();
}

void EditLatency::attach() {
  for (const auto& connection : attached_) disconnect(connection);
  for (Series* series : {&plot_, &picture_, &full_}) *series = {series->name, {}, 0, {}};
  before_ = {};
  PlotModel* plot = shell_.plot();
  PictureModel* picture = shell_.picture();
  // After the views' own connections, so that changes() has the edit.
  attached_ = {connect(shell_.document(), &Document::structureChanged, this, &EditLatency::edited),
               connect(plot, &WatchedView::contentChanged, this, [this, plot] { plot_.drawn = plot->shownChanges(); }),
               connect(picture, &WatchedView::contentChanged, this, [this, picture] {
                 picture_.drawn = picture->shownChanges();
                 const bool whole = picture->picture().size() == picture->original().size();
                 if (whole) full_.drawn = picture->shownChanges();
               })};
}

void EditLatency::edited() {
  if (before_.isEmpty()) before_ = weights();
  plot_.waiting.emplace_back(shell_.plot()->changes(), now());
  for (Series* series : {&picture_, &full_}) series->waiting.emplace_back(shell_.picture()->changes(), now());
}

void EditLatency::synchronised() {
  for (Series* series : {&plot_, &picture_, &full_}) {
    while (!series->waiting.empty() && series->waiting.front().first <= series->drawn) {
      series->ms.push_back(now() - series->waiting.front().second);
      series->waiting.pop_front();
    }
  }
}

QJsonObject EditLatency::weights() const {
  uint32_t sum = 0;
  qint64 bytes = 0;
  if (const auto weights = shell_.document()->weights()->tensors()) {
    for (const auto& [name, tensor] : *weights) {
      sum = crc32(tensor.data(), tensor.bytes(), crc32(name.data(), name.size(), sum));
      bytes += static_cast<qint64>(tensor.bytes());
    }
  }
  return {{"bytes", bytes}, {"crc32", static_cast<qint64>(sum)}};
}

void EditLatency::write() const {
  QJsonObject report{{"weights_before", before_}, {"weights_after", weights()}};
  for (const Series* series : {&plot_, &picture_, &full_}) {
    std::vector<double> sorted = series->ms;
    std::sort(sorted.begin(), sorted.end());
    const auto at = [&](double share) {
      return sorted.empty() ? 0.0 : sorted[static_cast<size_t>(share * static_cast<double>(sorted.size() - 1) + 0.5)];
    };
    report[QLatin1String(series->name)] = QJsonObject{
        {"edits", static_cast<qint64>(sorted.size())}, {"p50_ms", at(0.5)}, {"p95_ms", at(0.95)}, {"max_ms", at(1)}};
  }
  QFile file(path_);
  if (file.open(QIODevice::WriteOnly)) file.write(QJsonDocument(report).toJson());
}

}  // namespace hw::app
