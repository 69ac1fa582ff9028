#include "app/models/graph/pass_marks.h"

#include "app/document/text.h"
#include "engine/field/pass_trace.h"

namespace hw::app {
namespace {

/// By the id of the card that stands for a node.
QHash<QString, QString> texts_of(const std::vector<PassNote>& notes) {
  QHash<QString, QString> texts;
  for (const PassNote& note : notes) {
    const QString node = to_q(note.node);
    QString& text = texts[node.section(QLatin1Char('/'), 0, 0)];
    if (!text.isEmpty()) text += QLatin1Char('\n');
    text += QObject::tr(
                "When the graph is evaluated without training, %1 is computed in %2: the same result within "
                "rounding, in less time (pass %3).")
                .arg(node, to_q(note.into), to_q(note.pass));
  }
  return texts;
}

}  // namespace

PassMarks::PassMarks(const Document& document, std::shared_ptr<Assets> assets, QString device, QObject* parent)
    : QObject(parent),
      assets_(std::move(assets)),
      device_(std::move(device)),
      look_(
          document,
          [this, &document]() -> AfterEdits::Look {
            return [this, graph = document.flat(), wires = sink_wires(document.flat(), document.validator()),
                    device = to_std(device_)]() -> AfterEdits::Told {
              const auto notes = trace_passes(graph, wires, *assets_, device);
              const QHash<QString, QString> texts = notes ? texts_of(*notes) : QHash<QString, QString>();
              return [this, texts] { setTexts(texts); };
            };
          },
          [this] { setTexts({}); }) {
  connect(&document, &Document::reset, this, [this] { setTexts({}); });
}

void PassMarks::setDevice(const QString& device) {
  device_ = device;
  renew();
}

void PassMarks::setTexts(const QHash<QString, QString>& texts) {
  if (std::exchange(texts_, texts) != texts) Q_EMIT changed();
}

}  // namespace hw::app
