#include "app/models/checks/dump_parity.h"

#include <algorithm>

#include "app/document/text.h"
#include "app/document/without_commands.h"
#include "app/models/text/format.h"
#include "engine/core/place_text.h"
#include "engine/train/bad_value.h"

namespace hw::app {
namespace {

using verdicts::tr;

QString match_text(DumpMatch match) {
  switch (match) {
    case DumpMatch::map:
      return tr("as mapped");
    case DumpMatch::name:
      return tr("by name");
    case DumpMatch::shape:
      return tr("by sizes");
  }
  return {};
}

VerdictModel::Row row_of(const DumpItem& item, const QString& dump, const std::string& device) {
  VerdictModel::Row row;
  row.node = item.socket.node;
  row.value = item.socket.socket + " = " + item.tensor;
  row.pass = match_text(item.match);
  row.verdict = !item.is_compared() ? tr("not finite")
                : item.diverges     ? tr("diverges")
                : item.inherited    ? tr("inherited")
                                    : tr("within");
  row.level = item.diverges ? 2 : item.inherited || !item.is_compared() ? 1 : 0;
  row.number = share_of_allowed(item.error);
  row.unpictured = without_commands(to_q(item.note));
  QStringList lines;
  if (item.worst)
    lines += tr("%1: %2 has %3, %4 makes %5, allowed ± %6")
                 .arg(to_q(place_text(item.worst->index, item.dims)), dump, format_number(item.worst->wanted, 9),
                      to_q(device), format_number(item.worst->made, 9), format_number(item.worst->allowed, 2));
  if (!row.unpictured.isEmpty()) lines += row.unpictured;
  row.note = lines.join(QLatin1Char('\n'));
  row.a = item.wanted;
  row.b = item.made;
  return row;
}

/// An Input that the dump does not say the value of; `is_there`: it has an array for it, which is not read.
VerdictModel::Row example_row(const std::string& input, bool is_there) {
  VerdictModel::Row row;
  row.node = input;
  row.value = "y";
  row.verdict = tr("example");
  row.level = 1;
  row.note = is_there ? tr("The dump's tensor for this Input is not read: it had the graph's own example values.")
                      : tr("The dump has no tensor for this Input, which had the graph's own example values.");
  row.unpictured = row.note;
  return row;
}

VerdictModel::Row unmatched_row(const std::string& tensor, const std::string& why) {
  VerdictModel::Row row;
  row.value = tensor;
  row.verdict = tr("no wire");
  row.note = why.empty() ? tr("No node has the name of this tensor, and its sizes are not those of one wire alone.")
                         : tr("Not compared: %1.").arg(to_q(why));
  row.unpictured = row.note;
  return row;
}

VerdictModel::Row unread_row(const std::string& tensor, const std::string& why) {
  VerdictModel::Row row;
  row.value = tensor;
  row.verdict = tr("not read");
  row.level = 1;
  row.note = to_q(why);
  row.unpictured = row.note;
  return row;
}

}  // namespace

VerdictModel::Report report_of(const DumpReport& found, const NotRead& not_read, const QString& dump,
                               const std::string& device, const QString& weights) {
  VerdictModel::Report report;
  report.a = dump;
  report.b = to_q(device);
  report.of_dump = true;
  report.passed = !found.first && found.not_compared == 0;
  for (const DumpItem& item : found.items) report.rows.push_back(row_of(item, dump, device));
  for (const auto& [tensor, why] : not_read) report.rows.push_back(unread_row(tensor, why));
  for (const std::string& input : found.examples) report.rows.push_back(example_row(input, not_read.contains(input)));
  std::ranges::stable_sort(report.rows, std::ranges::greater(), &VerdictModel::Row::level);
  for (const auto& [tensor, why] : found.unmatched) report.rows.push_back(unmatched_row(tensor, why));

  QStringList parts;
  if (found.first) {
    const DumpItem& first = found.items[*found.first];
    parts += tr("%1 diverges first from %2").arg(to_q(first.socket.node), dump);
    Diagnostic d;
    d.code = codes::dump_diverges;
    d.node = first.socket.node;
    d.reason = to_std(tr("On %1 the wire %2 has other values than “%3” of %4.")
                          .arg(report.b, to_q(first.socket.socket), to_q(first.tensor), dump));
    report.findings.push_back(d);
  } else {
    parts += tr("%1 and %2 agree").arg(dump, report.b);
  }
  if (!found.examples.empty()) {
    QStringList inputs;
    for (const std::string& input : found.examples) inputs += to_q(input);
    parts += tr("%1 with its own example values").arg(inputs.join(tr(" and ")));
  }
  parts += tr("%1 of %2 tensors compared")
               .arg(found.items.size())
               .arg(found.items.size() + found.unmatched.size() + not_read.size());
  if (!not_read.empty()) parts += tr("%1 not read").arg(not_read.size());
  parts += weights;
  report.caption = parts.join(QStringLiteral(", "));
  return report;
}

}  // namespace hw::app
