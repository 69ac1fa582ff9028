#include "app/models/checks/gradient_check_model.h"

#include "app/document/text.h"
#include "app/models/text/format.h"
#include "engine/core/place_text.h"
#include "engine/gradient/grad_check.h"
#include "engine/gradient/grad_device.h"
#include "engine/graph/lower/stand_in_loss.h"
#include "engine/plan/reduced_graph.h"
#include "engine/train/bad_value.h"

namespace hw::app {
namespace {

using verdicts::tr;

QString verdict_text(const GradResult& r) {
  switch (r.verdict) {
    case GradVerdict::right:
      return tr("right");
    case GradVerdict::kink:
      return tr("right, at a kink");
    case GradVerdict::wrong:
      return r.inherited ? tr("wrong, inherited") : tr("wrong");
    case GradVerdict::zero:
      return tr("zero, should not be");
    case GradVerdict::dead:
      return tr("dead: always zero");
    case GradVerdict::unclear:
      return tr("too small to tell");
  }
  return {};
}

int level_of(GradVerdict verdict) {
  if (verdict == GradVerdict::wrong || verdict == GradVerdict::zero) return 2;
  return verdict == GradVerdict::dead || verdict == GradVerdict::unclear ? 1 : 0;
}

VerdictModel::Row row_of(const GradResult& r) {
  VerdictModel::Row row;
  row.node = r.block.node;
  row.value = to_std(value_in_node(r.block.name, r.block.node, ""));
  row.pass = r.block.is_parameter ? tr("parameter") : tr("wire");
  row.verdict = verdict_text(r);
  row.level = level_of(r.verdict);
  row.number = format_number(r.largest, 3);
  const QString place = r.worst.index < 0 ? tr("Along a random direction") : to_q(place_text(r.worst.index, r.dims));
  row.note = tr("%n derivatives checked.", static_cast<int>(r.checks)) + QLatin1Char('\n') +
             tr("%1: the adjoint says %2, the difference %3.")
                 .arg(place, format_number(r.worst.adjoint, 9), format_number(r.worst.difference, 9));
  if (!r.held.empty()) {
    QStringList nodes;
    for (const std::string& node : r.held) nodes += to_q(node);
    if (row.level == 0) row.verdict = tr("%1, in part held").arg(row.verdict);
    row.note += QLatin1Char('\n') + tr("Adjoint and difference hold fixed what %1 hands on behind a stop_gradient.")
                                        .arg(nodes.join(QStringLiteral(", ")));
  }
  if (r.kinks > 0)
    row.note += QLatin1Char('\n') +
                tr("%n of them where both sides differ (ReLU at 0, a cell's border).", static_cast<int>(r.kinks));
  return row;
}

Diagnostic finding(const std::string& node, Severity severity, const QString& reason) {
  Diagnostic d;
  d.code = severity == Severity::error ? codes::wrong_gradient : codes::dead_gradient;
  d.severity = severity;
  d.node = node;
  d.reason = to_std(reason);
  return d;
}

VerdictModel::Report report_of(const GradReport& found, const GradDevice& device, bool smaller, bool stands_in,
                               bool selected_only) {
  VerdictModel::Report report;
  int dead = 0, kinks = 0, unclear = 0;
  for (const GradResult& r : found.results) {
    report.rows.push_back(row_of(r));
    dead += r.verdict == GradVerdict::dead;
    unclear += r.verdict == GradVerdict::unclear;
    kinks += r.verdict == GradVerdict::kink;
    if (r.verdict == GradVerdict::dead && r.block.is_parameter)
      report.findings.push_back(
          finding(r.block.node, Severity::warning,
                  tr("the gradient of %1 is always zero: it is not trained.").arg(to_q(r.block.name))));
  }
  for (const std::string& node : found.suspects)
    report.findings.push_back(
        finding(node, Severity::error,
                tr("its adjoint is wrong: it is not what central differences of the loss in f64 give.")));
  report.passed = found.passed();
  QStringList parts{report.passed ? tr("No gradient is wrong")
                                  : tr("%n nodes with a wrong adjoint", static_cast<int>(found.suspects.size()))};
  if (stands_in) parts += stand_in_text();
  const auto values = static_cast<int>(found.results.size());
  parts += selected_only ? tr("%n values of the selected nodes checked", values) : tr("%n values checked", values);
  if (kinks > 0) parts += tr("%n at a kink", kinks);
  if (dead > 0) parts += tr("%n always zero", dead);
  if (const auto held = static_cast<int>(found.count_held())) parts += tr("%n in part held fixed", held);
  if (unclear > 0) parts += tr("%n too small to tell, or not finite beside the point", unclear);
  parts += smaller ? tr("at initial weights of a smaller copy") : tr("at initial weights");
  parts += tr("on %1").arg(to_q(device.id));
  report.caption = parts.join(QStringLiteral(", ")) + QStringLiteral(". ") + to_q(device.why);
  std::stable_sort(report.rows.begin(), report.rows.end(),
                   [](const auto& a, const auto& b) { return a.level > b.level; });
  return report;
}

}  // namespace

GradientCheckModel::GradientCheckModel(Document& document, std::shared_ptr<Assets> assets, QObject* parent)
    : VerdictModel(document, std::move(assets), parent) {}

void GradientCheckModel::setSelectedOnly(bool on) {
  if (on == selected_only_) return;
  selected_only_ = on;
  Q_EMIT selectedOnlyChanged();
}

VerdictModel::Work GradientCheckModel::work() const {
  std::set<std::string> nodes;
  if (selected_only_)
    for (const QString& node : document().selection().nodes()) nodes.insert(document().shown().path_of(to_std(node)));
  return [nodes, selected_only = selected_only_](const Graph& graph, Assets& assets,
                                                 const std::function<void(double)>& progress,
                                                 const std::atomic<bool>& cancel) -> Result<Report> {
    if (selected_only && nodes.empty())
      return Error{codes::bad_usage, "", "no node is selected.", "Select some, or switch off Selected nodes only."};
    HW_TRY(const CheckableGraph checked, checkable(graph));
    HW_TRY(const int64_t samples, declared_samples(checked.graph));
    const ReducedGraph reduced = reduce_graph(checked.graph, samples, true);
    HW_TRY(const GradSubject subject, grad_subject(reduced.graph, assets));
    const GradDevice device = grad_device(*subject.program);
    GradCheckOptions options;
    options.device = device.id;
    options.progress = [&](double share, const std::string&) { progress(share); };
    options.cancel = &cancel;
    HW_TRY(const GradReport found,
           selected_only ? check_gradients_of(subject, nodes, options) : check_gradients(subject, options));
    return report_of(found, device, !reduced.reductions.empty(), checked.stands_in, selected_only);
  };
}

}  // namespace hw::app
