#include "app/models/run/run_words.h"

#include <QObject>
#include <QStringList>

#include "app/document/text.h"
#include "app/models/text/format.h"

namespace hw::app {

QString state_text(const RunSnapshot& run) {
  switch (run.state) {
    case RunState::idle:
      return run.step > 0 ? QObject::tr("Stopped") : QObject::tr("Ready");
    case RunState::preparing:
      return QObject::tr("Preparing");
    case RunState::running:
      return QObject::tr("Training");
    case RunState::paused:
      return QObject::tr("Paused");
    case RunState::finished:
      return QObject::tr("Finished");
    case RunState::failed:
      return QObject::tr("Failed");
  }
  return {};
}

QString loss_text(const RunSnapshot& run) {
  return run.step > 0 ? format_number(run.loss, 4) : QString();
}

QString metrics_text(const RunSnapshot& run, const Graph& graph) {
  QStringList list;
  for (const auto& [id, value] : run.metrics) {
    const Node* node = graph.find(id);
    if (node) list.append(QObject::tr("%1 %2 %").arg(to_q(display_name(*node)), QString::number(100 * value, 'f', 2)));
  }
  if (!list.isEmpty()) list.append(QObject::tr("at step %1").arg(run.metrics_step));
  return list.join(QStringLiteral("  "));
}

QString metrics_meaning(const RunSnapshot& run) {
  if (run.metrics.empty()) return {};
  return QObject::tr("Over all %1 samples of the test split, in evaluation mode, measured after step %2.")
      .arg(run.metrics_samples)
      .arg(run.metrics_step);
}

QString rate_text(const RunSnapshot& run) {
  const double rate = run.samples_per_s;
  return run.state == RunState::running && rate > 0 ? QObject::tr("%1 samples/s").arg(format_count(rate)) : QString();
}

QString elapsed_text(const RunSnapshot& run) {
  return run.step > 0 ? format_duration(run.seconds) : QString();
}

QString learning_rate_text(const RunSnapshot& run) {
  return run.step > 0 ? format_number(run.learning_rate, 3) : QString();
}

QString bytes_text(size_t bytes) {
  return bytes > 0 ? format_bytes(static_cast<double>(bytes)) : QString();
}

}  // namespace hw::app
