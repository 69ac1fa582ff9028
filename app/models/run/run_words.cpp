#include "app/models/run/run_words.h"

#include <QObject>
#include <QStringList>

#include "app/document/text.h"
#include "app/models/text/format.h"

namespace hw::app {

QString with_weights_text(size_t lacking) {
  if (lacking == 0) return QObject::tr("Ready, with weights");
  return lacking == 1 ? QObject::tr("Ready, with weights; 1 parameter has none")
                      : QObject::tr("Ready, with weights; %1 parameters have none").arg(lacking);
}

QString with_states_text(uint64_t step, bool modified) {
  return (modified ? QObject::tr("Ready, trained to step %1") : QObject::tr("Ready, saved at step %1")).arg(step);
}

QString state_text(RunState state, bool started) {
  switch (state) {
    case RunState::idle:
      return started ? QObject::tr("Stopped") : QObject::tr("Ready");
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
  if (!run.measured) return {};
  QStringList list;
  for (const auto& [id, value] : run.measured->numbers) {
    const Node* node = graph.find(id);
    if (!node) continue;
    const QString number = node->type == "accuracy" ? QObject::tr("%1 %").arg(QString::number(100 * value, 'f', 2))
                                                    : format_number(value, 4);
    list.append(to_q(display_name(*node)) + QLatin1Char(' ') + number);
  }
  if (run.measured->loss) list.append(QObject::tr("Loss %1").arg(format_number(*run.measured->loss, 4)));
  if (list.isEmpty()) return {};
  const bool test = run.measured->split == Split::test;
  list.append((test ? QObject::tr("test, step %1") : QObject::tr("validation, step %1")).arg(run.measured->step));
  return list.join(QStringLiteral("  "));
}

QString metrics_meaning(const RunSnapshot& run) {
  if (!run.measured) return {};
  const QString split =
      run.measured->split == Split::test ? QObject::tr("test split") : QObject::tr("validation split");
  QString text = QObject::tr("Over all %1 samples of the %2, in evaluation mode, with the weights of step %3.")
                     .arg(run.measured->samples)
                     .arg(split)
                     .arg(run.measured->step);
  if (run.best)
    text += QLatin1Char(' ') + QObject::tr("The loss on the validation split was lowest at step %1: %2.")
                                   .arg(run.best->step)
                                   .arg(format_number(run.best->loss, 4));
  return text;
}

QString rate_text(const RunSnapshot& run) {
  const double rate = run.samples_per_s;
  return run.state == RunState::running && rate > 0 ? QObject::tr("%1 samples/s").arg(format_count(rate)) : QString();
}

QString elapsed_text(const RunSnapshot& run) {
  return run.step > 0 ? format_duration(run.seconds) : QString();
}

QString time_left_text(const RunSnapshot& run, double rate) {
  return rate > 0 && run.steps > run.step ? format_duration(static_cast<double>(run.steps - run.step) / rate)
                                          : QString();
}

QString learning_rate_text(const RunSnapshot& run) {
  return run.step > 0 && run.state != RunState::failed ? format_number(run.learning_rate, 3) : QString();
}

QString bytes_text(size_t bytes) {
  return bytes > 0 ? format_bytes(static_cast<double>(bytes)) : QString();
}

}  // namespace hw::app
