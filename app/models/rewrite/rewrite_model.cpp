#include "app/models/rewrite/rewrite_model.h"

#include "app/document/text.h"
#include "app/models/text/format.h"
#include "engine/core/exceptions.h"
#include "engine/devices/devices.h"

namespace hw::app {
namespace {

constexpr int kMostPlaces = 8;  // named in one text

QString places_text(const std::vector<Rewrite>& places) {
  QStringList named;
  for (const Rewrite& place : places) {
    if (named.size() == kMostPlaces) {
      named.append(RewriteModel::tr("and %n more", nullptr, static_cast<int>(places.size()) - kMostPlaces));
      break;
    }
    named.append(to_q(place.what));
  }
  return named.join(QStringLiteral("\n"));
}

QString verdict_text(const ProvenRewrite& proven) {
  const Equivalence& proof = proven.proof;
  const OutputEquivalence& worst = proof.worst();
  const QString distance =
      RewriteModel::tr("%1 is %2 off the f64 result, of values up to %3; before %4, allowed %5.")
          .arg(to_q(worst.output.before.node), format_number(worst.after, 3), format_number(worst.largest, 3),
               format_number(worst.before, 3), format_number(worst.allowed(), 3));
  if (!proof.holds() && worst.is_lost())
    return worst.lost > 0
               ? RewriteModel::tr("Proves nothing: the graph's own result is not finite where its f64 result is.")
               : RewriteModel::tr(
                     "Proves nothing: the graph's f64 result is not finite where its own result is another value.");
  if (!proof.holds()) return RewriteModel::tr("Computes something else:") + QLatin1Char(' ') + distance;
  if (!proof.proves())
    return RewriteModel::tr("Proves nothing: a limit is as large as the values, or all is NaN.") + QLatin1Char(' ') +
           distance;
  const QString checked =
      RewriteModel::tr("The same within the rounding of %1, over %2.")
          .arg(to_q(std::string(name(worst.dtype))), RewriteModel::tr("%n batches", nullptr, proof.batches));
  const QString nearest = proof.outputs.size() == 1
                              ? QString()
                              : RewriteModel::tr("Of %n outputs the nearest to its limit:", nullptr,
                                                 static_cast<int>(proof.outputs.size())) +
                                    QLatin1Char(' ');
  return checked + QLatin1Char(' ') + nearest + distance;
}

}  // namespace

RewriteModel::RewriteModel(Document& document, RunModel& run, std::shared_ptr<Assets> assets, QObject* parent)
    : QAbstractListModel(parent), document_(document), run_(run), assets_(std::move(assets)), worker_(document) {
  for (const RewriteRule& rule : rewrite_rules()) rows_.push_back({&rule, {}, {}, {}, {}});
  connect(&worker_, &CheckWorker::runningChanged, this, [this] {
    if (!worker_.running() && std::exchange(again_, false)) return look();
    Q_EMIT changed();
  });
  connect(&worker_, &CheckWorker::replaced, this, &RewriteModel::forget);
  connect(&worker_, &CheckWorker::staleChanged, this, &RewriteModel::changed);
  for (const auto event : {&DocumentWeights::settled, &DocumentWeights::loaded, &DocumentWeights::replaced})
    connect(document.weights(), event, this, &RewriteModel::changed);
}

void RewriteModel::forget() {
  beginResetModel();
  for (Row& row : rows_) row = {row.rule, QStringLiteral("waiting"), {}, {}, {}};
  endResetModel();
  problem_.clear();
}

void RewriteModel::cancel() {
  again_ = false;
  worker_.cancel();
}

void RewriteModel::look() {
  if (!worker_.begin()) {
    again_ = true;
    return;
  }
  forget();
  for (const Diagnostic& d : document_.validator().all())
    if (blocks(d, Pins::ignored) && problem_.isEmpty())
      problem_ = tr("The graph has errors. Mend them first: they are in Problems.");
  if (run_.running() || run_.paused()) problem_ = tr("The graph is running. Stop it first.");
  if (document_.weights()->pending()) problem_ = tr("Its weights are still being read, or do not fit: see Problems.");
  weights_ = document_.weights()->tensors();
  Q_EMIT changed();
  if (!problem_.isEmpty()) worker_.cancel();
  worker_.run([this, document = document_.graph(), weights = weights_, device = to_std(run_.device())](
                  const std::shared_ptr<const Graph>& flat, const std::function<void(double)>& progress,
                  const std::atomic<bool>& cancel) -> CheckWorker::Finish {
    const auto rules = rewrite_rules();
    for (size_t i = 0; i < rules.size() && !cancel; ++i) {
      const auto tried = std::make_shared<const Result<ProvenRewrite>>(guarded([&]() -> Result<ProvenRewrite> {
        HW_TRY(const std::shared_ptr<Device> on, make_device(device));
        return prove_rewrite(document, rules[i], weights, *assets_, *on, {.cancel = &cancel});
      }));
      QMetaObject::invokeMethod(
          this,
          [this, tried, row = static_cast<int>(i), &cancel] {
            if (!cancel) show(row, *tried);
          },
          Qt::QueuedConnection);
      progress(static_cast<double>(i + 1) / static_cast<double>(rules.size()));
    }
    return [this, flat] { worker_.setChecked(flat); };
  });
}

void RewriteModel::show(int row, const Result<ProvenRewrite>& tried) {
  Row& shown = rows_[static_cast<size_t>(row)];
  if (!tried) {
    shown.state = QStringLiteral("failed");
    shown.verdict = tr("Could not be tried: %1").arg(reason_text(tried.error()));
  } else if (tried->places.empty()) {
    shown.state = QStringLiteral("none");
    shown.verdict = tr("No place for it in this graph.");
  } else {
    const bool is_proven = tried->proof.holds() && tried->proof.proves();
    shown.state = is_proven ? QStringLiteral("proven") : QStringLiteral("differs");
    shown.verdict = verdict_text(*tried);
    shown.places = places_text(tried->places);
    if (is_proven) shown.proven = std::make_shared<const ProvenRewrite>(*tried);
  }
  Q_EMIT dataChanged(index(row), index(row));
}

bool RewriteModel::apply(int row) {
  const auto proven = rows_[static_cast<size_t>(row)].proven;
  if (!proven || worker_.running() || stale() || run_.running() || run_.paused()) return false;
  if (!document_.pushRewritten(to_q(std::string(rows_[static_cast<size_t>(row)].rule->title)), proven->made.edits,
                               proven->weights))
    return false;
  look();
  return true;
}

int RewriteModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

QVariant RewriteModel::data(const QModelIndex& index, int role) const {
  const Row& row = rows_[static_cast<size_t>(index.row())];
  switch (role) {
    case TitleRole:
      return to_q(std::string(row.rule->title));
    case SummaryRole:
      return to_q(std::string(row.rule->summary));
    case StateRole:
      return row.state;
    case VerdictRole:
      return row.verdict;
    case PlacesRole:
      return row.places;
    default:
      return {};
  }
}

QHash<int, QByteArray> RewriteModel::roleNames() const {
  return {{TitleRole, "title"},
          {SummaryRole, "summary"},
          {StateRole, "state"},
          {VerdictRole, "verdict"},
          {PlacesRole, "places"}};
}

}  // namespace hw::app
