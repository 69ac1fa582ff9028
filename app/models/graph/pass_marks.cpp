#include "app/models/graph/pass_marks.h"

#include "app/document/task.h"
#include "app/document/text.h"
#include "engine/field/pass_trace.h"

namespace hw::app {
namespace {

constexpr int kSoonMs = 400;

/// By the id of the card that stands for a node.
QHash<QString, QString> texts_of(const std::vector<PassNote>& notes) {
  QHash<QString, QString> texts;
  for (const PassNote& note : notes) {
    const QString node = to_q(note.node), card = node.section(QLatin1Char('/'), 0, 0);
    QString& text = texts[card];
    if (text.isEmpty()) text = QObject::tr("Where the graph is evaluated, without training:");
    text += QLatin1Char('\n') +
            QObject::tr("%1 is computed in %2 (pass %3).").arg(node, to_q(note.into), to_q(std::string(note.pass)));
  }
  return texts;
}

}  // namespace

PassMarks::PassMarks(const Document& document, std::shared_ptr<Assets> assets, QString device, QObject* parent)
    : QObject(parent), document_(document), assets_(std::move(assets)), device_(std::move(device)) {
  work_.setMaxThreadCount(1);
  soon_.setSingleShot(true);
  soon_.setInterval(kSoonMs);
  connect(&soon_, &QTimer::timeout, this, &PassMarks::look);
  for (const auto change : {&Document::structureChanged, &Document::reset})
    connect(&document, change, this, [this] { soon_.start(); });
}

PassMarks::~PassMarks() {
  work_.waitForDone();
}

void PassMarks::setDevice(const QString& device) {
  device_ = device;
  soon_.start();
}

void PassMarks::setTexts(const QHash<QString, QString>& texts) {
  if (std::exchange(texts_, texts) != texts) Q_EMIT changed();
}

void PassMarks::look() {
  if (busy_) {
    again_ = true;
    return;
  }
  busy_ = true;
  start_task(
      work_, this,
      [this, graph = document_.flat(), device = to_std(device_)] {
        const auto notes = trace_passes(graph, *assets_, device);
        const QHash<QString, QString> texts = notes ? texts_of(*notes) : QHash<QString, QString>();
        // The destructor waits for this thread.
        QMetaObject::invokeMethod(
            this,
            [this, texts] {
              busy_ = false;
              setTexts(texts);
              if (std::exchange(again_, false)) look();
            },
            Qt::QueuedConnection);
      },
      [this](const Error&) { busy_ = false; });
}

}  // namespace hw::app
