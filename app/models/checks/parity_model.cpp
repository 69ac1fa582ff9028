#include "app/models/checks/parity_model.h"

#include <array>
#include <cmath>

#include "app/document/text.h"
#include "app/models/text/format.h"
#include "engine/compare/parity.h"
#include "engine/plan/reduced_graph.h"
#include "engine/train/bad_value.h"

namespace hw::app {
namespace {

constexpr int64_t kSamples = 1024;
constexpr int64_t kPictured = 1 << 16;  // elements of a value that is kept for its picture

struct Pair {
  const char *a, *b, *label;
};
constexpr std::array kPairs = {
    Pair{"ref", "cpu", QT_TRANSLATE_NOOP("hw::app::ParityModel", "ref and cpu")},
    Pair{"cpu@1", "cpu@2", QT_TRANSLATE_NOOP("hw::app::ParityModel", "cpu: 1 and 2 threads")},
    Pair{"cpu@1", "cpu@8", QT_TRANSLATE_NOOP("hw::app::ParityModel", "cpu: 1 and 8 threads")},
};

QString tr(const char* text, int count = -1) {
  return ParityModel::tr(text, nullptr, count);
}

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
  row.verdict = verdict_text(item.verdict);
  row.level = item.verdict == ParityVerdict::diverges ? 2 : item.verdict == ParityVerdict::inherited ? 1 : 0;
  row.number = !std::isfinite(item.error) ? QStringLiteral("∞") : format_number(100 * item.error, 2) + tr(" %");
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

VerdictModel::Report report_of(const ParityReport& found, const ReducedGraph& reduced) {
  VerdictModel::Report report;
  int same = 0;
  for (const ParityItem& item : found.items) {
    report.rows.push_back(row_of(item, found));
    same += item.verdict == ParityVerdict::same_bits;
  }
  report.passed = found.agrees();
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
  parts += tr("%n values, ", static_cast<int>(found.items.size())) + tr("%n with the same bits", same);
  parts += tr("%n steps", static_cast<int>(found.steps));
  parts += reduced.reductions.empty() ? tr("from initial weights") : tr("from initial weights of a smaller copy");
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

/// |b − a|; 0 where both are NaN.
Tensor apart(const Tensor& a, const Tensor& b) {
  const std::vector<double> va = a.to_f64(), vb = b.to_f64();
  std::vector<double> difference(va.size());
  for (size_t i = 0; i < va.size(); ++i) {
    const bool same = va[i] == vb[i] || (std::isnan(va[i]) && std::isnan(vb[i]));
    difference[i] = same ? 0 : std::abs(vb[i] - va[i]);
  }
  return Tensor::from_f64(DType::f64, a.dims(), difference);
}

/// Of the finite values of both.
PictureRange range_of(const Tensor& a, const Tensor& b) {
  PictureRange range{INFINITY, -INFINITY};
  for (const Tensor& tensor : {a, b}) {
    for (const double v : tensor.to_f64()) {
      if (!std::isfinite(v)) continue;
      range.low = std::min(range.low, v);
      range.high = std::max(range.high, v);
    }
  }
  if (range.low > range.high) return {};
  // Of one number all that is seen is that both are the same.
  const double size = std::max(std::abs(range.low), std::abs(range.high));
  return a.size() > 1 ? range : PictureRange{-size, size};
}

}  // namespace

ParityModel::ParityModel(Document& document, std::shared_ptr<Assets> assets, QObject* parent)
    : VerdictModel(document, std::move(assets), parent) {
  connect(this, &VerdictModel::reportChanged, this, [this] {
    compared_ = pair_;
    show(count() > 0 && !passed() ? 0 : -1);
  });
}

QStringList ParityModel::pairs() const {
  QStringList labels;
  for (const Pair& pair : kPairs) labels += tr(pair.label);
  return labels;
}

void ParityModel::setPair(int pair) {
  if (running() || pair == pair_ || pair < 0 || pair >= static_cast<int>(kPairs.size())) return;
  pair_ = pair;
  Q_EMIT pairChanged();
}

QString ParityModel::firstName() const {
  return QString::fromLatin1(kPairs[static_cast<size_t>(compared_)].a);
}

QString ParityModel::secondName() const {
  return QString::fromLatin1(kPairs[static_cast<size_t>(compared_)].b);
}

void ParityModel::show(int index) {
  const Row* found = row(index);
  shown_ =
      found ? tr("%1, %2: %3").arg(data(this->index(index), TitleRole).toString(), to_q(found->value), found->verdict)
            : QString();
  const bool kept = found && !found->a.empty();
  const bool is_empty = kept && found->a.size() == 0;
  no_picture_ = !found || (kept && !is_empty) ? QString()
                : is_empty                    ? tr("It has no elements.")
                           : tr("Too large for a picture: pointing at its row tells its worst element.");
  const Tensor a = kept ? found->a : Tensor(), b = kept ? found->b : Tensor();
  if (kept) {
    const PictureRange range = range_of(a, b);
    first_.fixRange(range);
    second_.fixRange(range);
  }
  first_.setTensor(a);
  second_.setTensor(b);
  difference_.setTensor(kept ? apart(a, b) : Tensor());
  Q_EMIT shownChanged();
}

VerdictModel::Work ParityModel::work() const {
  return [pair = kPairs[static_cast<size_t>(pair_)]](const Graph& graph, Assets& assets,
                                                     const std::function<void(double)>& progress,
                                                     const std::atomic<bool>& cancel) -> Result<Report> {
    const ReducedGraph reduced = reduce_graph(graph, kSamples, true);
    HW_TRY(const ParityDevice a, parity_device(pair.a));
    HW_TRY(const ParityDevice b, parity_device(pair.b));
    ParityOptions options;
    options.worst = 1;
    options.keep_up_to = kPictured;
    options.progress = progress;
    options.cancel = &cancel;
    HW_TRY(const ParityReport found, parity(reduced.graph, assets, a, b, options));
    return report_of(found, reduced);
  };
}

}  // namespace hw::app
