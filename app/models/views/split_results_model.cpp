#include "app/models/views/split_results_model.h"

#include <QBuffer>
#include <algorithm>
#include <cmath>

#include "app/document/text.h"
#include "app/models/tensors/tensor_picture.h"
#include "app/models/text/format.h"
#include "engine/plan/train_settings.h"

namespace hw::app {
namespace {

constexpr int kMostPixels = 64;       // of a sample's picture, a side
constexpr size_t kMostNumbered = 12;  // classes whose cells have room for numbers
constexpr double kBright = 0.6;       // of the colours' scale

QString data_url(const QImage& image) {
  QByteArray bytes;
  QBuffer buffer(&bytes);
  buffer.open(QIODevice::WriteOnly);
  image.save(&buffer, "PNG");
  return QStringLiteral("data:image/png;base64,") + QString::fromLatin1(bytes.toBase64());
}

/// Sample `row` of [K, C, H, W] in grey or colour, of [K, H, W] in grey; "" of others.
QString picture_of_sample(const Tensor& samples, int64_t row) {
  const Dims& dims = samples.dims();
  const auto rank = static_cast<int>(dims.size());
  if (rank < 3 || rank > 4 || dims[static_cast<size_t>(rank) - 2] < 2) return {};
  PictureAxes axes{rank - 2, rank - 1, rank == 4 && dims[1] >= 3 ? 1 : -1, std::vector<int64_t>(dims.size(), 0)};
  axes.slice[0] = row;
  const TensorPicture seen = picture_of(samples, axes, {}, kMostPixels);
  if (axes.colour >= 0) return data_url(seen.image);
  // Grey, as a picture has it: the colours of numbers would say something else.
  QImage image(seen.image.size(), QImage::Format_Grayscale8);
  const double span = seen.range.high - seen.range.low;
  for (int y = 0; y < image.height(); ++y)
    for (int x = 0; x < image.width(); ++x) {
      const double value = value_at(samples, axes, y * seen.height / image.height(), x * seen.width / image.width());
      const double grey = span > 0 ? std::clamp((value - seen.range.low) / span, 0.0, 1.0) : 0;
      image.scanLine(y)[x] = static_cast<uchar>(std::lround(255 * grey));
    }
  return data_url(image);
}

QString share_text(double share) {
  return std::isnan(share) ? QStringLiteral("–") : QString::number(100 * share, 'f', 1);
}

}  // namespace

SplitResultsModel::SplitResultsModel(Document& document, RunModel& run, QObject* parent)
    : QObject(parent), document_(document), run_(run) {
  connect(&run_, &RunModel::stateChanged, this, &SplitResultsModel::take);
  connect(&run_, &RunModel::stateChanged, this, &SplitResultsModel::updateDue);
  connect(&run_, &RunModel::stateChanged, this, &SplitResultsModel::meaningChanged);
  for (const auto change : {&Document::structureChanged, &Document::reset})
    connect(&document, change, this, &SplitResultsModel::updateDue);
  updateDue();
}

void SplitResultsModel::updateDue() {
  const QString text = dueText();
  if (std::exchange(due_, text) != text) Q_EMIT changed();
}

QString SplitResultsModel::dueText() const {
  if (!empty()) return {};
  const Graph& graph = document_.flat();
  const auto runs = [&](const std::string& id) { return !document_.validator().blocking(graph, id); };
  const bool wired = std::any_of(graph.nodes().begin(), graph.nodes().end(), [&](const auto& entry) {
    const auto& [id, node] = entry;
    return (node.type == "confusion_matrix" || node.type == "worst_samples") && !node.bypassed && runs(id);
  });
  const auto trainer = find_trainer(graph);
  if (!wired || !trainer || !runs(*trainer)) return {};
  for (const std::string& note : run_.snapshot().notes)
    if (note.starts_with("Metrics are not measured: ")) return to_q(note);
  const TrainSettings settings = train_settings(*graph.find(*trainer));
  const auto every = static_cast<qulonglong>(settings.evaluate_every);
  const qulonglong end = run_.started() ? run_.steps() : static_cast<qulonglong>(settings.steps);
  const qulonglong next = every > 0 ? (run_.step() / every + 1) * every : end;
  return next < end ? tr("First measured at step %1.").arg(next) : tr("First measured when training ends.");
}

void SplitResultsModel::take() {
  const auto measured = run_.snapshot().measured;
  if (measured == shown_) return;
  shown_ = measured;
  shares_.clear();
  rows_.clear();
  classes_.clear();
  cells_.clear();
  worst_.clear();
  matrix_.clear();
  bool has_worst = false;
  const std::map<std::string, std::vector<Tensor>> none;
  for (const auto& [id, tensors] : measured ? measured->tensors : none) {
    const Node* node = document_.flat().find(id);
    if (node && node->type == "confusion_matrix" && shares_.empty()) takeMatrix(tensors.front());
    if (node && node->type == "worst_samples" && !std::exchange(has_worst, true)) takeWorst(tensors);
  }
  due_ = dueText();
  Q_EMIT changed();
}

QString SplitResultsModel::nameOf(int64_t label) const {
  const auto& names = shown_->class_names;
  const bool named = label >= 0 && static_cast<size_t>(label) < names.size();
  return named ? to_q(names[static_cast<size_t>(label)]) : QString::number(label);
}

void SplitResultsModel::takeMatrix(const Tensor& shares) {
  const auto size = static_cast<size_t>(shares.dims()[0]);
  shares_ = shares.to_f64();
  std::vector<double> columns(size, 0), f1(size, 0);
  rows_.assign(size, 0);
  for (size_t i = 0; i < size; ++i)
    for (size_t j = 0; j < size; ++j) {
      rows_[i] += shares_[i * size + j];
      columns[j] += shares_[i * size + j];
    }
  for (size_t i = 0; i < size; ++i) {
    const double right = shares_[i * size + i];
    f1[i] = 2 * right / (rows_[i] + columns[i]);  // NaN of a class that is nowhere
  }
  double lowest = 1;
  for (const double value : f1)
    if (value < lowest) lowest = value;
  QImage image(static_cast<int>(size), static_cast<int>(size), QImage::Format_RGB32);
  for (size_t i = 0; i < size; ++i) {
    const double right = shares_[i * size + i];
    classes_.append(
        QVariantMap{{"name", nameOf(static_cast<int64_t>(i))},
                    {"precision", share_text(right / columns[i])},
                    {"recall", share_text(right / rows_[i])},
                    {"f1", share_text(f1[i])},
                    {"samples", QLocale::c().toString(std::lround(rows_[i] * static_cast<double>(shown_->samples)))},
                    {"worst", f1[i] == lowest && lowest < 1}});
    for (size_t j = 0; j < size; ++j) {
      const long samples = std::lround(samplesIn(i, j));
      const double shade = std::sqrt(shareOf(i, j));
      if (size <= kMostNumbered)
        cells_.append(
            QVariantMap{{"count", samples > 0 ? QString::number(samples) : QString()}, {"bright", shade > kBright}});
      image.setPixel(static_cast<int>(j), static_cast<int>(i), colormap(shade));
    }
  }
  matrix_ = data_url(image);
}

void SplitResultsModel::takeWorst(const std::vector<Tensor>& outputs) {
  const std::vector<double> losses = outputs[0].to_f64();
  for (size_t i = 0; i < losses.size(); ++i) {
    const int64_t row = outputs[1].as<int64_t>()[i], label = outputs[3].as<int64_t>()[i],
                  predicted = outputs[4].as<int64_t>()[i];
    worst_.append(QVariantMap{{"picture", picture_of_sample(outputs[2], static_cast<int64_t>(i))},
                              {"label", nameOf(label)},
                              {"predicted", nameOf(predicted)},
                              {"loss", format_number(losses[i], 3)},
                              {"row", QString::number(row)},
                              {"wrong", label != predicted}});
  }
}

double SplitResultsModel::samplesIn(size_t right, size_t predicted) const {
  return shares_[right * rows_.size() + predicted] * static_cast<double>(shown_->samples);
}

double SplitResultsModel::shareOf(size_t right, size_t predicted) const {
  return rows_[right] > 0 ? shares_[right * rows_.size() + predicted] / rows_[right] : 0;
}

QString SplitResultsModel::cell(int right, int predicted) const {
  if (right < 0 || predicted < 0 || right >= size() || predicted >= size()) return {};
  const auto i = static_cast<size_t>(right), j = static_cast<size_t>(predicted);
  const QLocale c = QLocale::c();
  const QString counts = tr("%1 of %2")
                             .arg(c.toString(std::lround(samplesIn(i, j))),
                                  c.toString(std::lround(rows_[i] * static_cast<double>(shown_->samples))));
  return right == predicted ? tr("%1 recognised: %2").arg(nameOf(right), counts)
                            : tr("%1 taken for %2: %3").arg(nameOf(right), nameOf(predicted), counts);
}

}  // namespace hw::app
