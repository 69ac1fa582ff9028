#include "app/models/checks/xray_model.h"

#include <QPointer>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "app/document/text.h"
#include "app/models/checks/moment_states.h"
#include "app/models/checks/xray_words.h"
#include "app/models/run/run_model.h"
#include "app/models/text/format.h"
#include "engine/core/exceptions.h"
#include "engine/core/place_text.h"
#include "engine/train/bad_value.h"

namespace hw::app {
namespace {

/// Larger is worse.
double badness(const XrayItem& item, const QString& key) {
  const auto of = [](const RoundingError& e, double finite) { return e.has_not_finite() ? INFINITY : finite; };
  if (key == QLatin1String("ulps")) return of(item.introduced, item.introduced.max_ulps);
  if (key == QLatin1String("inherited")) return of(item.inherited, item.inherited.relative);
  if (key == QLatin1String("bits")) return -item.total.bits_left;
  return of(item.introduced, item.introduced.relative);
}

}  // namespace

XrayModel::XrayModel(Document& document, RunModel& run, std::shared_ptr<Assets> assets, QObject* parent)
    : CheckModel(document, std::move(assets), parent), run_(run) {}

void XrayModel::start() {
  if (!worker().begin()) return;
  run_.takeStates([self = QPointer<XrayModel>(this)](const auto& trained) {
    if (self) self->begin(trained);
  });
}

void XrayModel::begin(const std::shared_ptr<const Checkpoint>& trained) {
  XrayOptions options;
  options.device = to_std(run_.device());
  options.worst = 1;
  options.given = values_of(*run_.evaluation()->given());
  const MomentStates now = moment_states(document(), trained);
  options.states = now.states;
  options.weights = now.weights;
  options.step = now.batches;
  worker().run(
      [this, options, weights = now.words, assets = assets()](const std::shared_ptr<const Graph>& graph, const auto&,
                                                              const std::atomic<bool>& cancel) -> CheckWorker::Finish {
        XrayOptions asked = options;
        asked.cancel = &cancel;
        auto result = std::make_shared<const Result<XrayReport>>(
            guarded([&] { return xray(with_inputs(*graph, asked.given), *assets, asked); }));
        return [this, result, weights, graph, options] {
          setItems(*result ? std::shared_ptr<const XrayReport>(result, &**result) : nullptr);
          if (!report_) return setProblem(result->error());
          const QString mode = report_->training ? tr("Training mode") : tr("Evaluation mode");
          QString caption = tr("%1 on %2, %3").arg(mode, to_q(report_->device), weights);
          if (!options.given.empty()) caption += tr(", of what Inputs are given");
          setReport(caption, graph);
        };
      });
}

void XrayModel::setItems(std::shared_ptr<const XrayReport> report) {
  beginResetModel();
  report_ = std::move(report);
  sortRows();
  endResetModel();
}

void XrayModel::setSorting(const QString& key) {
  if (key == sorting_) return;
  beginResetModel();
  sorting_ = key;
  sortRows();
  endResetModel();
  Q_EMIT sortingChanged();
}

void XrayModel::sortRows() {
  rows_.resize(report_ ? report_->items.size() : 0);
  std::iota(rows_.begin(), rows_.end(), size_t{0});
  if (sorting_ == QLatin1String("order")) return;
  std::stable_sort(rows_.begin(), rows_.end(), [this](size_t a, size_t b) {
    return badness(report_->items[a], sorting_) > badness(report_->items[b], sorting_);
  });
}

QString XrayModel::mapped() const {
  const bool known = sorting_ == QLatin1String("inherited") || sorting_ == QLatin1String("bits");
  const QString measure = known ? sorting_ : QStringLiteral("introduced");
  if (!report_ || report_->items.empty()) return QStringLiteral("xray.") + measure;
  const bool sorted = sorting_ != QLatin1String("order");
  const size_t worst = sorted ? rows_.front() : report_->worst.value_or(0);
  return (report_->items[worst].backward ? QStringLiteral("xray.gradients.") : QStringLiteral("xray.")) + measure;
}

std::string XrayModel::nodeOf(int row) const {
  return row >= 0 && row < count() ? report_->items[rows_[static_cast<size_t>(row)]].node : "";
}

QString XrayModel::noteOf(const XrayItem& item) const {
  QStringList lines;
  if (item.gradient_scale != 1)
    lines += tr("Stored as %1 times the true gradient.").arg(format_scale(item.gradient_scale));
  if (!item.worst_introduced.empty()) {
    const XrayElement& e = item.worst_introduced.front();
    lines += tr("%1 is %2; in f64 on the same inputs %3.")
                 .arg(to_q(place_text(e.index, item.dims)), format_number(e.value, 9), format_number(e.reference, 9));
    for (const auto& [name, value] : e.inputs) lines += tr("from %1 = %2").arg(to_q(name), format_number(value, 9));
  }
  for (const std::string& cause : item.causes) lines += to_q(cause);
  if (report_->worst && &item == &report_->items[*report_->worst] && !report_->remedy.empty())
    lines += to_q(report_->remedy);
  if (item.bits_lost >= 1) lines += tr("%1 bits fewer than its inputs had.").arg(item.bits_lost, 0, 'f', 1);
  return lines.join(QLatin1Char('\n'));
}

int XrayModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

QVariant XrayModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const size_t at = rows_[static_cast<size_t>(index.row())];
  const XrayItem& item = report_->items[at];
  const int bits = significand_bits(item.dtype);
  switch (role) {
    case NodeRole:
      return to_q(item.node);
    case TitleRole:
    case Qt::DisplayRole:
      return titleOf(item.node);
    case ValueRole:
      return value_name(item);
    case BackwardRole:
      return item.backward;
    case DtypeRole:
      return to_q(name(item.dtype));
    case IntroducedRole:
      return error_text(item.introduced);
    case UlpsRole:
      return format_number(item.introduced.max_ulps, 3);
    case InheritedRole:
      return error_text(item.inherited);
    case BitsRole:
      return bits_text(item);
    case ShareRole:
      return std::clamp(item.total.bits_left / bits, 0.0, 1.0);
    case BadRole:
      return has_bad(item);
    case WorstRole:
      return report_->worst == at;
    case NoteRole:
      return noteOf(item);
    default:
      return {};
  }
}

QHash<int, QByteArray> XrayModel::roleNames() const {
  return {{NodeRole, "node"},         {TitleRole, "title"},           {ValueRole, "value"},
          {BackwardRole, "backward"}, {DtypeRole, "dtype"},           {UlpsRole, "ulps"},
          {BadRole, "bad"},           {IntroducedRole, "introduced"}, {InheritedRole, "inherited"},
          {BitsRole, "bits"},         {ShareRole, "share"},           {WorstRole, "worst"},
          {NoteRole, "note"}};
}

}  // namespace hw::app
