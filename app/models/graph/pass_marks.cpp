#include "app/models/graph/pass_marks.h"

#include "app/document/text.h"
#include "engine/field/pass_trace.h"

namespace hw::app {
namespace {

constexpr qsizetype kMostNamed = 4;  // of a group's nodes in one text

/// By the paths of the cards that stand for a node: its own, and those of the instances that it is in.
QHash<QString, QString> texts_of(const std::vector<PassNote>& notes) {
  QHash<QString, QStringList> lines;
  QHash<QString, QStringList> passes;
  for (const PassNote& note : notes) {
    const QString node = to_q(note.node), pass = to_q(note.pass);
    for (int depth = 0; depth <= node.count(QLatin1Char('/')); ++depth) {
      const QString card = node.section(QLatin1Char('/'), 0, depth);
      lines[card].append(QObject::tr("%1 is computed in %2").arg(node, to_q(note.into)));
      if (!passes[card].contains(pass)) passes[card].append(pass);
    }
  }
  QHash<QString, QString> texts;
  for (auto it = lines.begin(); it != lines.end(); ++it) {
    QStringList& named = it.value();
    const qsizetype more = named.size() - kMostNamed;
    if (more > 0) named = named.first(kMostNamed) << QObject::tr("and %1 more").arg(more);
    texts[it.key()] =
        QObject::tr("Evaluated without training:\n%1.\nThe same result within rounding, in less time (%2).")
            .arg(named.join(QStringLiteral(",\n")), passes[it.key()].join(QStringLiteral(", ")));
  }
  return texts;
}

}  // namespace

PassMarks::PassMarks(const Document& document, std::shared_ptr<Assets> assets, QString device, QObject* parent)
    : QObject(parent),
      assets_(std::move(assets)),
      device_(std::move(device)),
      analysis_(
          document,
          [this, &document]() -> AfterEdits::Analysis {
            return [this, graph = document.flat(), wires = sink_wires(document.flat(), document.validator()),
                    device = to_std(device_)]() -> AfterEdits::Callback {
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
