#include "app/models/precision/precision_model.h"

#include <QLocale>
#include <QPointer>
#include <algorithm>

#include "app/document/text.h"
#include "app/models/precision/precision_rows.h"
#include "engine/core/exceptions.h"
#include "engine/graph/precision/choose_precision.h"

namespace hw::app {
namespace {

constexpr int kMostRepeats = 100, kMostSteps = 1'000'000;
constexpr int kMostTitles = 20;  // that one line can show

}  // namespace

PrecisionModel::PrecisionModel(Document& document, RunModel& run, std::shared_ptr<Assets> assets, QObject* parent)
    : QObject(parent), document_(document), run_(run), assets_(std::move(assets)) {
  work_.setMaxThreadCount(1);
  connect(&document_, &Document::selectionChanged, this, &PrecisionModel::selectedChanged);
  const auto outdated = [this] {
    if (running_) stale_ = true;
    if (edits_.empty()) return;
    edits_.clear();
    verdict_ = tr("The graph has changed since: this cannot be applied any more.");
    Q_EMIT changed();
  };
  connect(&document_, &Document::structureChanged, this, outdated);
  connect(&document_, &Document::reset, this, [this] {
    cancel_ = true;
    forget();
  });
}

PrecisionModel::~PrecisionModel() {
  cancel_ = true;
  work_.waitForDone();
}

QString PrecisionModel::selected() const {
  const auto count = document_.selection().nodes().size();
  if (count > kMostTitles) return tr("%1 nodes").arg(QLocale().toString(count));
  QStringList titles;
  for (const QString& id : document_.selection().nodes()) {
    if (const Node* node = document_.shown().graph().find(to_std(id)))
      titles.append(to_q(display_name(document_.graph(), *node)));
  }
  titles.sort();
  return titles.join(QStringLiteral(", "));
}

QStringList PrecisionModel::dtypes() const {
  QStringList names;
  for (const DTypeInfo& row : dtype_table()) {
    if (row.is_float) names.append(to_q(row.name));
  }
  return names;
}

void PrecisionModel::setProgress(double progress, const QString& doing) {
  progress_ = progress;
  doing_ = doing;
  Q_EMIT progressChanged();
}

void PrecisionModel::forget() {
  rows_.clear();
  trials_.clear();
  changes_.clear();
  edits_.clear();
  verdict_.clear();
  problem_.clear();
  Q_EMIT changed();
}

void PrecisionModel::begin(const QString& asked) {
  forget();
  asked_ = asked;
  running_ = true;
  stale_ = false;
  cancel_ = false;
  setProgress(0, tr("Preparing"));
  Q_EMIT changed();
}

void PrecisionModel::end() {
  running_ = false;
  if (stale_ && !edits_.empty()) {
    edits_.clear();
    verdict_ = tr("The graph has changed since: this cannot be applied any more.");
  }
  Q_EMIT changed();
}

void PrecisionModel::fail(const Error& error) {
  if (error.code != codes::cancelled) {
    problem_ = reason_text(error) + (error.remedy.empty() ? QString() : QLatin1Char(' ') + to_q(error.remedy)) +
               QStringLiteral(" (%1)").arg(to_q(error.code));
  }
  end();
}

void PrecisionModel::tryDtype(const QString& dtype, int steps) {
  if (running_) return;
  begin(QStringLiteral("try"));
  std::vector<std::string> nodes;
  for (const QString& id : document_.selection().nodes()) {
    nodes.push_back(document_.shown().path_of(to_std(id)));
  }
  std::sort(nodes.begin(), nodes.end());
  const auto wanted = dtype_from_name(to_std(dtype));
  if (nodes.empty() || !wanted)
    return fail({codes::unknown_node, "", "no node is selected.", "Select nodes on the canvas."});
  const auto plan = set_precision(document_.flat(), nodes, *wanted);
  if (!plan) return fail(plan.error());
  if (plan->edits.empty())
    return fail(
        {codes::unsupported, "", "what is selected is in " + to_std(dtype) + " already.", "Choose another dtype."});
  editText_ = tr("Change precision to %1").arg(dtype);
  const std::string device = to_std(run_.device());
  given_ = values_of(*run_.evaluation()->given());
  run_.takeStates([self = QPointer<PrecisionModel>(this), graph = with_inputs(document_.flat(), given_), plan = *plan,
                   device, steps](const std::shared_ptr<const Checkpoint>& from) {
    if (!self) return;
    const auto weights = self->document_.weights()->tensors();
    self->work_.start([self = self.data(), graph, plan, device, steps, from, weights] {
      self->compare(graph, plan, device, from.get(), weights.get(), static_cast<uint64_t>(steps));
    });
  });
}

void PrecisionModel::compare(const Graph& base, const PrecisionPlan& plan, const std::string& device,
                             const Checkpoint* from, const Weights* weights, uint64_t steps) {
  Graph changed_graph = base;
  const auto applied = apply_edits(changed_graph, plan.edits);
  WhatIfOptions options;
  options.device = device;
  options.steps = steps;
  options.cancel = &cancel_;
  options.given = given_;
  if (from) {
    options.start = {from->states, from->begun, from->step};
    options.schedule_steps = from->steps;
  } else if (weights) {
    options.start.states = *weights;
  }
  options.progress = [this](const WhatIfProgress& p) {
    const double share = static_cast<double>(p.step) / static_cast<double>(p.steps);
    const QString text = tr("Step %1 of %2").arg(p.step).arg(p.steps);
    QMetaObject::invokeMethod(
        this, [this, share, text] { setProgress(share, text); }, Qt::QueuedConnection);
  };
  const auto report = guarded([&]() -> Result<WhatIfReport> {
    if (!applied) return applied.error();
    return what_if(base, changed_graph, *assets_, options);
  });
  QMetaObject::invokeMethod(
      this,
      [this, report, plan, first = options.start.step, loaded = !from && weights] {
        if (!report) return fail(report.error());
        edits_ = plan.edits;
        for (const std::string& note : plan.notes) changes_.append(to_q(note));
        show(*report);
        verdict_ += QLatin1Char(' ') + (first    ? tr("Both went on from step %1.").arg(first)
                                        : loaded ? tr("Both began from the loaded weights.")
                                                 : tr("Both began from the weights of seed %1.").arg(report->seed));
        end();
      },
      Qt::QueuedConnection);
}

void PrecisionModel::show(const WhatIfReport& r) {
  baseTitle_ = tr("As it is");
  changedTitle_ = tr("Changed");
  rows_ = precision_rows(r);
  QStringList failed;
  if (r.base.failed) failed += tr("The graph as it is failed: %1").arg(reason_text(*r.base.failed));
  if (r.changed.failed) failed += tr("The changed graph failed: %1").arg(reason_text(*r.changed.failed));
  verdict_ = !failed.isEmpty() ? failed.join(QLatin1Char(' '))
                               : tr("%1 steps each, in turns; held out: seed %2.").arg(r.steps).arg(r.held_out_seed);
}

QString PrecisionModel::problemWith(const QString& field, const QString& text) const {
  NodeDecl fields;
  fields.real("limit", 1).labelled(to_std(tr("The limit"))).at_least(0).in_unit("%");
  for (const char* id : {"steps", "planned"})
    fields.integer(id, 200).labelled(to_std(tr("Steps"))).range(1, kMostSteps);
  fields.integer("seeds", 1).labelled(to_std(tr("Seeds"))).range(1, kMostRepeats);
  if (field == QLatin1String("planned") && text.trimmed().isEmpty()) return {};
  const ParamDecl& asked = *fields.find_param(to_std(field));
  const auto value = parse_param(asked, to_std(text));
  return value ? QString() : to_q(asked.label + ' ' + value.error().reason);
}

void PrecisionModel::plan(const QString& budget, const QString& minimise, int steps, int repeats) {
  if (running_) return;
  begin(QStringLiteral("plan"));
  const auto parsed = parse_precision_budget(to_std(budget.trimmed()));
  if (!parsed) return fail(parsed.error());
  PlannerOptions options;
  options.device = to_std(run_.device());
  options.budget = *parsed;
  options.minimise = minimise_from_name(to_std(minimise)).value_or(Minimise::both);
  options.steps = static_cast<uint64_t>(std::max(0, steps));
  options.repeats = std::clamp(repeats, 1, kMostRepeats);
  editText_ = tr("Apply precision plan");
  options.given = values_of(*run_.evaluation()->given());
  work_.start([this, graph = with_inputs(document_.flat(), options.given), options,
               weights = document_.weights()->tensors()] { search(graph, options, weights.get()); });
}

void PrecisionModel::search(const Graph& graph, const PlannerOptions& given, const Weights* weights) {
  PlannerOptions options = given;
  if (weights) options.states = *weights;
  options.cancel = &cancel_;
  options.progress = [this](const PlannerProgress& p) {
    QMetaObject::invokeMethod(
        this, [this, p] { setProgress(p.share, sentence(p.what)); }, Qt::QueuedConnection);
  };
  const auto proposal = guarded([&] { return plan_precision(graph, *assets_, options); });
  QMetaObject::invokeMethod(
      this,
      [this, proposal, given] {
        if (!proposal) return fail(proposal.error());
        show(*proposal, given);
        end();
      },
      Qt::QueuedConnection);
}

void PrecisionModel::show(const PrecisionProposal& p, const PlannerOptions& options) {
  const PrecisionBudget::Kind kind = options.budget.kind;
  baseTitle_ = tr("Full precision");
  changedTitle_ = p.found ? tr("Plan") : tr("As it is");
  rows_ = precision_rows(p, kind);
  trials_ = precision_trials(p, kind);
  edits_ = p.edits;
  for (const std::string& note : p.notes) changes_.append(to_q(note));
  verdict_ = to_q(p.config) + QLatin1Char('.');
  if (!p.why.empty()) verdict_ += QLatin1Char(' ') + to_q(p.why);
  if (!p.found || kind != PrecisionBudget::Kind::loss) return;
  verdict_ += options.repeats > 1 ? QLatin1Char(' ') + tr("The rise is the mean of %1 seeds.").arg(options.repeats)
                                  : QLatin1Char(' ') + tr("Measured from one seed: another may end farther apart.");
}

void PrecisionModel::apply() {
  if (!applicable()) return;
  const Edits edits = std::exchange(edits_, {});
  if (document_.pushPlan(editText_, edits)) forget();
}

void PrecisionModel::drop() {
  if (!running_) forget();
}

}  // namespace hw::app
