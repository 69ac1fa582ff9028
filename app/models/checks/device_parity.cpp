#include "app/models/checks/device_parity.h"

#include "app/document/text.h"
#include "app/models/text/format.h"
#include "engine/core/place_text.h"
#include "engine/train/bad_value.h"

namespace hw::app {
namespace {

using verdicts::tr;

QString verdict_text(ParityVerdict verdict) {
  switch (verdict) {
    case ParityVerdict::same_bits:
      return tr("same bits");
    case ParityVerdict::within:
      return tr("within");
    case ParityVerdict::inherited:
      return tr("inherited");
    case ParityVerdict::diverges:
      return tr("diverges");
  }
  return {};
}

VerdictModel::Row row_of(const ParityItem& item, const ParityReport& report) {
  VerdictModel::Row row;
  row.node = item.node;
  row.value = to_std(value_in_node(item.name, item.node, item.op));
  row.pass = item.pass == Pass::forward ? tr("forward") : item.pass == Pass::backward ? tr("backward") : tr("update");
  row.verdict = item.is_compared() ? verdict_text(item.verdict) : tr("not finite");
  row.level = item.verdict == ParityVerdict::diverges                           ? 2
              : item.verdict == ParityVerdict::inherited || !item.is_compared() ? 1
                                                                                : 0;
  row.number = share_of_allowed(item.error);
  for (const ParityElement& e : item.worst)
    row.note += (row.note.isEmpty() ? QString() : QStringLiteral("\n")) +
                tr("%1: %2 makes %3, %4 makes %5, allowed ± %6")
                    .arg(to_q(place_text(e.index, item.dims)), to_q(report.a), format_number(e.a, 9), to_q(report.b),
                         format_number(e.b, 9), format_number(e.allowed, 2));
  row.a = item.a;
  row.b = item.b;
  if (item.random) row.note += (row.note.isEmpty() ? QString() : QStringLiteral("\n")) + tr("Draws random numbers.");
  return row;
}

}  // namespace

VerdictModel::Report report_of(const ParityReport& found, bool smaller, bool stands_in) {
  VerdictModel::Report report;
  report.a = to_q(found.a);
  report.b = to_q(found.b);
  int same = 0;
  for (const ParityItem& item : found.items) {
    report.rows.push_back(row_of(item, found));
    same += item.verdict == ParityVerdict::same_bits;
  }
  report.passed = found.agrees() && found.not_compared() == 0;
  QStringList parts;
  if (found.first) {
    const ParityItem& first = found.items[*found.first];
    parts += tr("%1 diverges first, in step %2").arg(to_q(first.node)).arg(found.step + 1);
    Diagnostic d;
    d.code = codes::devices_diverge;
    d.node = first.node;
    d.reason = to_std(tr("%1 and %2 make different values of the same inputs: %3, step %4.")
                          .arg(to_q(found.a), to_q(found.b), to_q(first.name.empty() ? first.op : first.name))
                          .arg(found.step + 1));
    report.findings.push_back(d);
  } else {
    parts += tr("%1 and %2 agree").arg(to_q(found.a), to_q(found.b));
  }
  if (const size_t none = found.not_compared())
    parts += tr("nothing finite compared of %n values", static_cast<int>(none));
  if (stands_in) parts += stand_in_text();
  parts += tr("%n values, ", static_cast<int>(found.items.size())) + tr("%n with the same bits", same);
  parts += tr("%n steps", static_cast<int>(found.steps));
  parts += smaller ? tr("from initial weights of a smaller copy") : tr("from initial weights");
  report.caption = parts.join(QStringLiteral(", "));
  // What is off in the order it arises, then what is nearest to its tolerance.
  std::vector<size_t> order(found.items.size());
  for (size_t k = 0; k < order.size(); ++k) order[k] = k;
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    const int x = report.rows[a].level, y = report.rows[b].level;
    return x != y ? x > y : x == 0 && found.items[a].error > found.items[b].error;
  });
  std::vector<VerdictModel::Row> rows;
  for (const size_t k : order) rows.push_back(std::move(report.rows[k]));
  report.rows = std::move(rows);
  return report;
}

}  // namespace hw::app
