#include "app/models/previews/card_facts.h"

#include <QStringList>

#include "app/document/text.h"
#include "app/models/previews/node_previews.h"
#include "app/models/run/run_model.h"
#include "app/models/text/format.h"

namespace hw::app {

QVariantMap facts_text(const NodeFacts& facts, bool of_run) {
  const KernelInfo& kernel = facts.kernels.forward;
  if (kernel.implementation.empty()) return {};
  const QString stored = to_q(name(kernel.storage)), computed = to_q(name(kernel.compute)),
                accumulated = to_q(name(kernel.accumulate));
  QStringList parts{QStringList{stored, computed, accumulated}.join(QStringLiteral(" · "))};
  QStringList lines{QObject::tr("Stored as %1, computed in %2, accumulated in %3 by %4: its heaviest forward kernel, "
                                "as it ran.")
                        .arg(stored, computed, accumulated, to_q(kernel.implementation))};
  if (facts.ms > 0) {
    lines << (of_run ? QObject::tr("%1 a step, mean: forward, backward and update.")
                     : QObject::tr("%1 forward, measured in the last evaluation."))
                 .arg(format_ms(facts.ms));
    if (!of_run) parts << format_ms(facts.ms);  // of a run it stands in the header
  }
  if (facts.memory.total() > 0) {
    parts << format_bytes(static_cast<double>(facts.memory.total()));
    QStringList memory;
    if (facts.memory.outputs > 0)
      memory << QObject::tr("outputs %1").arg(format_bytes(static_cast<double>(facts.memory.outputs)));
    if (facts.memory.parameters > 0)
      memory << QObject::tr("parameters %1").arg(format_bytes(static_cast<double>(facts.memory.parameters)));
    lines << QObject::tr("Memory: %1.").arg(memory.join(QStringLiteral(", ")));
  }
  return {{"text", parts.join(QStringLiteral("   "))}, {"tip", lines.join(QLatin1Char('\n'))}};
}

CardFacts::CardFacts(const Document& document, const RunModel& run, const NodePreviews& previews, QObject* parent)
    : QObject(parent), run_(run), previews_(previews) {
  connect(&document, &Document::structureChanged, this, [this] {
    if (!run_.running() && !std::exchange(runIsOlder_, true)) Q_EMIT changed();
  });
  connect(&run, &RunModel::stateChanged, this, [this] {
    if (run_.running()) runIsOlder_ = false;
  });
  connect(&run, &RunModel::nodeMsChanged, this, &CardFacts::changed);
  connect(&previews, &NodePreviews::factsChanged, this, &CardFacts::changed);
}

QVariantMap CardFacts::of(const QString& path) const {
  const RunSnapshot& run = run_.snapshot();
  const auto kernels = run.node_kernels.find(to_std(path));
  if (!runIsOlder_ && run_.started() && kernels != run.node_kernels.end()) {
    NodeFacts facts{kernels->second, 0, {}};
    if (const auto ms = run.node_ms.find(kernels->first); ms != run.node_ms.end()) facts.ms = ms->second;
    if (const auto memory = run.node_memory.find(kernels->first); memory != run.node_memory.end())
      facts.memory = memory->second;
    return facts_text(facts, true);
  }
  const NodeFacts* facts = previews_.facts(path);
  return facts ? facts_text(*facts, false) : QVariantMap();
}

}  // namespace hw::app
