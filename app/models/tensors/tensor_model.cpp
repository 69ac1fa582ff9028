#include "app/models/tensors/tensor_model.h"

#include "app/document/task.h"
#include "app/document/text.h"
#include "app/models/run/run_model.h"
#include "app/models/tensors/evaluated_node.h"
#include "app/models/tensors/histogram_map.h"
#include "app/models/text/format.h"

namespace hw::app {
namespace {

/// "12 (0.4 %)"; "0" alone.
QString share(int64_t part, int64_t whole) {
  if (part == 0 || whole == 0) return QString::number(part);
  const double percent = 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  const QString text = percent < 0.01 ? QStringLiteral("< 0.01") : format_number(percent, 2);
  return QStringLiteral("%1 (%2 %)").arg(format_count(static_cast<double>(part)), text);
}

QString shape_text(const Tensor& tensor) {
  QStringList sizes;
  for (const int64_t size : tensor.dims()) sizes.append(QString::number(size));
  return sizes.isEmpty() ? TensorModel::tr("scalar") : sizes.join(QStringLiteral(" × "));
}

}  // namespace

TensorModel::TensorModel(RunModel& run, EvaluatedNode* evaluated, What what, QObject* parent)
    : QAbstractListModel(parent), run_(run), evaluated_(evaluated), what_(what) {
  work_.setMaxThreadCount(1);
  connect(&run, &RunModel::inspectionChanged, this, &TensorModel::measureNext);
  if (!evaluated) return;
  connect(evaluated, &EvaluatedNode::contentChanged, this, &TensorModel::measureNext);
  connect(evaluated, &EvaluatedNode::hintChanged, this, &TensorModel::measureNext);
  connect(evaluated, &EvaluatedNode::hintChanged, this, &TensorModel::hintChanged);
}

TensorModel::~TensorModel() {
  work_.waitForDone();
}

void TensorModel::setWatched(bool on) {
  watched_ = on;
  if (on) measureNext();
}

const Tensor& TensorModel::tensorOf(const NodeInspection::Item& item) const {
  return what_ == What::values ? item.value : item.gradient;
}

TensorModel::Source TensorModel::source() const {
  return evaluated_ && evaluated_->overtakesRun() ? evaluated_->inspection() : run_.snapshot().inspection;
}

bool TensorModel::older() const {
  return evaluated_ && evaluated_->older();
}

QString TensorModel::hint() const {
  return evaluated_ ? evaluated_->hint() : QString();
}

void TensorModel::measureNext() {
  const Source source = this->source();
  if (!source) {
    if (shown_) accept(nullptr);
    return;
  }
  if (!watched_ || working_ || (shown_ && shown_->source == source)) return;
  working_ = true;
  start_task(
      work_, this,
      [this, source] {
        auto measured = std::make_shared<Measured>();
        measured->source = source;
        for (const NodeInspection::Item& item : source->items) measured->rows.push_back(measure(tensorOf(item)));
        // The destructor waits for this thread.
        QMetaObject::invokeMethod(
            this,
            [this, measured] {
              working_ = false;
              accept(measured);
              measureNext();
            },
            Qt::QueuedConnection);
      },
      [this](const Error&) { working_ = false; });  // the rows from before stay
}

void TensorModel::accept(std::shared_ptr<const Measured> next) {
  const bool same_rows =
      shown_ && next && shown_->source->node == next->source->node && shown_->rows.size() == next->rows.size();
  if (same_rows) {
    shown_ = std::move(next);
    if (count() > 0) Q_EMIT dataChanged(index(0), index(count() - 1));
  } else {
    beginResetModel();
    shown_ = std::move(next);
    current_ = 0;
    endResetModel();
  }
  const NodeInspection::Item* item = currentItem();
  show(item ? tensorOf(*item) : Tensor());
  Q_EMIT measured();
  Q_EMIT currentChanged();
}

void TensorModel::show(const Tensor& tensor) {
  table_.setTensor(tensor);
  image_.setTensor(tensor);
}

const NodeInspection::Item* TensorModel::currentItem() const {
  return shown_ && current_ >= 0 && current_ < count() ? &shown_->source->items[static_cast<size_t>(current_)]
                                                       : nullptr;
}

void TensorModel::setCurrent(int row) {
  if (row == current_ || row < 0 || row >= count()) return;
  current_ = row;
  show(tensorOf(*currentItem()));
  Q_EMIT currentChanged();
}

QString TensorModel::kernel() const {
  if (!shown_ || shown_->source->kernels.forward.implementation.empty()) return {};
  const NodeKernels& kernels = shown_->source->kernels;
  const bool forward = what_ == What::values;
  const auto text = [](const KernelInfo& k) {
    return tr("stored %1, computed %2, accumulated %3, %4")
        .arg(to_q(hw::name(k.storage)), to_q(hw::name(k.compute)), to_q(hw::name(k.accumulate)),
             to_q(k.implementation));
  };
  const auto line = tr("%1: %2");
  const QString pass = forward ? tr("Forward") : tr("Backward");
  if (!forward && !kernels.backward) return {};
  const QString whole = text(forward ? kernels.forward : *kernels.backward);
  QStringList layers;
  bool alike = true;
  for (const NodeKernels::Layer& layer : kernels.layers) {
    if (!forward && !layer.backward) continue;
    const QString of_layer = text(forward ? layer.forward : *layer.backward);
    alike = alike && of_layer == whole;
    layers += line.arg(to_q(layer.param), of_layer);
  }
  if (layers.isEmpty()) return line.arg(pass, whole);
  if (alike) return line.arg(tr("%1, every layer").arg(pass), whole);
  layers.prepend(line.arg(pass, whole));
  return layers.join(QLatin1Char('\n'));
}

QVariantMap TensorModel::numbers() const {
  const NodeInspection::Item* item = currentItem();
  if (!item) return {};
  const Tensor& tensor = tensorOf(*item);
  if (tensor.empty()) {
    const QString why = what_ == What::gradients ? to_q(item->no_gradient_because) : QString();
    return {{"absent", why.isEmpty() ? tr("Not computed in this run.") : why}};
  }
  const TensorStatistics& s = shown_->rows[static_cast<size_t>(current_)];
  const bool scaled = what_ == What::gradients && item->gradient_scale != 1;
  return {{"dtype", to_q(hw::name(tensor.dtype()))},
          {"dtypeToken", to_q(info(tensor.dtype()).colour_token)},
          {"shape", shape_text(tensor)},
          {"count", format_count(static_cast<double>(s.count))},
          {"min", format_number(s.min)},
          {"max", format_number(s.max)},
          {"mean", format_number(s.mean)},
          {"deviation", format_number(s.deviation)},
          {"zeros", share(s.zeros, s.count)},
          {"subnormal", share(s.subnormal, s.count)},
          {"saturated", share(s.saturated, s.count)},
          {"nans", share(s.nans, s.count)},
          {"infs", share(s.infs, s.count)},
          {"bad", s.nans + s.infs > 0},
          {"scale", scaled ? tr("stored × %1").arg(format_scale(item->gradient_scale)) : QString()},
          {"absent", QString()}};
}

QVariantMap TensorModel::histogram() const {
  const NodeInspection::Item* item = currentItem();
  if (!item || tensorOf(*item).empty()) return {};
  return histogram_map(shown_->rows[static_cast<size_t>(current_)], tensorOf(*item).dtype());
}

int TensorModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : count();
}

QVariant TensorModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const auto row = static_cast<size_t>(index.row());
  const NodeInspection::Item& item = shown_->source->items[row];
  const Tensor& tensor = tensorOf(item);
  switch (role) {
    case NameRole:
    case Qt::DisplayRole:
      return to_q(item.name);
    case IsParamRole:
      return item.is_param;
    case DTypeRole:
      return tensor.empty() ? QString() : to_q(hw::name(tensor.dtype()));
    case TokenRole:
      return tensor.empty() ? QString() : to_q(info(tensor.dtype()).colour_token);
    case ShapeRole:
      return tensor.empty() ? QString() : shape_text(tensor);
    case AbsentRole:
      return tensor.empty();
    case BadRole:
      return shown_->rows[row].nans + shown_->rows[row].infs > 0;
    default:
      return {};
  }
}

QHash<int, QByteArray> TensorModel::roleNames() const {
  return {{NameRole, "name"},   {IsParamRole, "isParam"}, {DTypeRole, "dtype"}, {TokenRole, "token"},
          {ShapeRole, "shape"}, {AbsentRole, "absent"},   {BadRole, "bad"}};
}

}  // namespace hw::app
