#include "app/models/precision/precision_rows.h"

#include <QCoreApplication>
#include <cmath>

#include "app/document/text.h"
#include "app/models/text/format.h"
#include "engine/precision/change_text.h"

namespace hw::app {
namespace {

QString tr(const char* text) {
  return QCoreApplication::translate("PrecisionModel", text);
}

QVariantMap row(const QString& title, const QString& base, const QString& changed, const QString& change) {
  return {{"title", title}, {"base", base}, {"changed", changed}, {"change", change}};
}

QString change_of(double ratio, double noise = 1) {
  return std::isfinite(ratio) ? to_q(change_text(ratio, noise)) : tr("failed");
}

QString ms_text(const WhatIfSide& side) {
  return side.ms_per_step > 0 ? format_ms(side.ms_per_step) : QStringLiteral("–");
}

QVariantMap bytes_row(const QString& title, size_t base, size_t changed) {
  return row(title, format_bytes(static_cast<double>(base)), format_bytes(static_cast<double>(changed)),
             base == 0 ? QString() : change_of(static_cast<double>(changed) / static_cast<double>(base)));
}

QVariantList memory_rows(const PrecisionBytes& base, const PrecisionBytes& changed) {
  const MemoryEstimate &a = base.training, &b = changed.training;
  return {bytes_row(tr("Training memory"), a.total(), b.total()),
          bytes_row(tr("– parameters, masters"), a.parameters, b.parameters),
          bytes_row(tr("– optimiser"), a.optimiser, b.optimiser),
          bytes_row(tr("– activations, gradients"), a.activations, b.activations),
          bytes_row(tr("Memory without training"), base.running, changed.running)};
}

QString loss_text(const WhatIfSide& side, double loss) {
  return side.failed ? tr("failed") : format_number(loss);
}

}  // namespace

QVariantList precision_rows(const WhatIfReport& r) {
  QVariantList rows{row(tr("Held-out loss"), loss_text(r.base, r.base.held_out_loss),
                        loss_text(r.changed, r.changed.held_out_loss), change_of(1 + r.loss_rise, r.loss_noise)),
                    row(tr("Training loss"), loss_text(r.base, r.base.loss), loss_text(r.changed, r.changed.loss),
                        change_of(r.changed.failed ? INFINITY : r.changed.loss / r.base.loss)),
                    row(tr("Time a step"), ms_text(r.base), ms_text(r.changed), to_q(change_text(r.time)))};
  rows += memory_rows(r.base.bytes, r.changed.bytes);
  rows.append(row(tr("Output error, same weights"), QStringLiteral("0"),
                  std::isfinite(r.output_error) ? format_number(r.output_error, 3) : tr("Inf or NaN"), QString()));
  return rows;
}

QVariantList precision_rows(const PrecisionProposal& p, PrecisionBudget::Kind kind) {
  const bool loss = kind == PrecisionBudget::Kind::loss;
  QVariantList rows;
  if (!loss) rows.append(row(tr("Output error"), QStringLiteral("0"), format_number(p.cost, 3), QString()));
  rows.append(row(tr("Held-out loss"), loss_text(p.full, p.full.held_out_loss), loss_text(p.plan, p.plan.held_out_loss),
                  loss ? change_of(1 + p.cost, p.cost_noise) : change_of(p.plan.held_out_loss / p.full.held_out_loss)));
  rows.append(row(loss ? tr("Time a step") : tr("Time an evaluation"), ms_text(p.full), ms_text(p.plan),
                  to_q(change_text(p.time))));
  rows += memory_rows(p.full.bytes, p.plan.bytes);
  return rows;
}

QVariantList precision_trials(const PrecisionProposal& p, PrecisionBudget::Kind kind) {
  QVariantList trials;
  for (const PlannerTrial& t : p.trials) {
    const QString cost = !t.is_measured                        ? tr("not measured")
                         : kind == PrecisionBudget::Kind::loss ? change_of(1 + t.cost, t.cost_noise)
                                                               : format_number(t.cost, 3);
    trials.append(QVariantMap{{"what", to_q(t.config)},
                              {"cost", cost},
                              {"time", to_q(change_text(t.time))},
                              {"verdict", (t.is_final ? tr("full length: ") : tr("short run: ")) + to_q(t.verdict)}});
  }
  return trials;
}

}  // namespace hw::app
