#include "app/models/checks/parity_model.h"

#include <QDir>
#include <QFileInfo>
#include <array>
#include <cmath>

#include "app/document/text.h"
#include "app/models/checks/device_parity.h"
#include "app/models/checks/dump_parity.h"
#include "app/models/run/run_model.h"
#include "engine/devices/devices.h"
#include "engine/graph/lower/stand_in_loss.h"
#include "engine/plan/reduced_graph.h"

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

constexpr int kDumpPair = static_cast<int>(kPairs.size());  // the dump is behind the devices

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

/// The range of the finite values of both.
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
  // All that is seen of one number is that both are the same.
  const double size = std::max(std::abs(range.low), std::abs(range.high));
  return a.size() > 1 ? range : PictureRange{-size, size};
}

}  // namespace

ParityModel::ParityModel(Document& document, RunModel& run, std::shared_ptr<Assets> assets, QObject* parent)
    : VerdictModel(document, std::move(assets), parent), run_(run) {
  connect(this, &VerdictModel::reportChanged, this, [this] { show(count() > 0 && !passed() ? 0 : -1); });
}

QStringList ParityModel::pairs() const {
  QStringList labels;
  for (const Pair& pair : kPairs) labels += tr(pair.label);
  if (!dump_.isEmpty()) labels += QFileInfo(dump_).fileName();
  return labels;
}

void ParityModel::setPair(int pair) {
  if (running() || pair == pair_ || pair < 0 || pair >= pairs().size()) return;
  pair_ = pair;
  Q_EMIT pairChanged();
}

void ParityModel::against(const QUrl& dump) {
  if (running()) return;
  dump_ = QDir::cleanPath(dump.toLocalFile());
  pair_ = kDumpPair;
  Q_EMIT pairChanged();
  start();
}

void ParityModel::clear() {
  VerdictModel::clear();
  dump_.clear();
  pair_ = std::min(pair_, kDumpPair - 1);
  Q_EMIT pairChanged();
}

bool ParityModel::dumpChosen() const {
  return pair_ == kDumpPair;
}

void ParityModel::show(int index) {
  const Row* found = row(index);
  shown_ = !found                ? QString()
           : found->node.empty() ? tr("%1: %2").arg(to_q(found->value), found->verdict)
                                 : tr("%1, %2: %3").arg(titleOf(found->node), to_q(found->value), found->verdict);
  const bool kept = found && !found->a.empty();
  const bool is_empty = kept && found->a.size() == 0;
  no_picture_ = !found || (kept && !is_empty) ? QString()
                : is_empty                    ? tr("It has no elements.")
                : !found->unpictured.isEmpty()
                    ? found->unpictured
                    : tr("Too large for a picture: pointing at its row shows its worst element.");
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
  return dumpChosen() ? besideDump() : onDevices();
}

VerdictModel::Work ParityModel::onDevices() const {
  return [pair = kPairs[static_cast<size_t>(pair_)]](const Graph& graph, Assets& assets,
                                                     const std::function<void(double)>& progress,
                                                     const std::atomic<bool>& cancel) -> Result<Report> {
    HW_TRY(const CheckableGraph checked, checkable(graph));
    const ReducedGraph reduced = reduce_graph(checked.graph, kSamples, true);
    HW_TRY(const ParityDevice a, parity_device(pair.a));
    HW_TRY(const ParityDevice b, parity_device(pair.b));
    ParityOptions options;
    options.worst = 1;
    options.keep_up_to = kPictured;
    options.progress = progress;
    options.cancel = &cancel;
    HW_TRY(const ParityReport found, parity(reduced.graph, assets, a, b, options));
    return report_of(found, !reduced.reductions.empty(), checked.stands_in);
  };
}

VerdictModel::Work ParityModel::besideDump() const {
  DumpOptions options;
  options.weights = document().weights()->tensors();
  options.where = to_std(dump_);
  options.keep_up_to = kPictured;
  const QString weights = options.weights ? tr("loaded weights") : tr("initial weights");
  return [options, weights, name = QFileInfo(dump_).fileName(), device = to_std(run_.device())](
             const Graph& graph, Assets& assets, const std::function<void(double)>&,
             const std::atomic<bool>&) -> Result<Report> {
    HW_TRY(const DumpFiles dump, read_dump(options.where));
    HW_TRY(const std::shared_ptr<Device> on, make_device(device));
    const auto found = compare_with_dump(graph, assets, on, dump.tensors, options);
    if (!found) return with_not_read(found.error(), dump.not_read);
    return report_of(*found, dump.not_read, name, device, weights);
  };
}

}  // namespace hw::app
