#include "app/models/weights/weight_map_model.h"

#include <QFileInfo>
#include <QPointer>

#include "app/document/text.h"
#include "app/models/text/format.h"
#include "app/workspace/weights.h"
#include "app/workspace/weights_beside.h"
#include "engine/core/exceptions.h"
#include "engine/io/tensor/weights_file.h"

namespace hw::app {
namespace {

QString value_text(DType dtype, const Dims& dims) {
  return to_q(std::string(hw::name(dtype)) + " " + to_string(dims));
}

QString found_text(MappedBy by) {
  switch (by) {
    case MappedBy::nothing:
      return {};
    case MappedBy::given:
      return WeightMapModel::tr("given");
    case MappedBy::name:
      return WeightMapModel::tr("name");
    case MappedBy::published:
      return WeightMapModel::tr("published");
    case MappedBy::similar_name:
      return WeightMapModel::tr("similar name");
    case MappedBy::shape:
      return WeightMapModel::tr("shape");
    case MappedBy::order:
      return WeightMapModel::tr("order");
  }
  return {};
}

}  // namespace

WeightMapModel::WeightMapModel(Document& document, RunModel& run, QObject* parent)
    : QAbstractListModel(parent), document_(document), run_(run) {
  thread_.setMaxThreadCount(1);
  connect(&document_, &Document::structureChanged, this, [this] {
    if (tensors_) renew();
  });
  connect(&document_, &Document::reset, this, &WeightMapModel::close);
  connect(&run_, &RunModel::stateChanged, this, &WeightMapModel::changed);
}

WeightMapModel::~WeightMapModel() {
  thread_.waitForDone();
}

void WeightMapModel::read(const QUrl& file) {
  const QString path = file.isLocalFile() ? file.toLocalFile() : file.toString();
  thread_.start([self = QPointer<WeightMapModel>(this), path, generation = ++generation_] {
    auto read = std::make_shared<Result<WeightsFile>>(
        guarded([&] { return read_weights(std::filesystem::path(path.toStdU16String())); }));
    // The destructor waits for this thread, so the model is there to receive the call.
    QMetaObject::invokeMethod(
        self.data(),
        [self, read, path, generation] {
          if (!self || self->generation_ != generation) return;
          if (!*read) {
            const Error& e = read->error();
            Q_EMIT self->refused(to_q(e.code), reason_text(e), to_q(e.remedy));
            return;
          }
          self->unread_ = (**read).unread.size();
          self->show(std::make_shared<const Tensors>(std::move((**read).tensors)), QFileInfo(path).fileName());
        },
        Qt::QueuedConnection);
  });
}

void WeightMapModel::lookAtUnfitted() {
  unread_ = 0;
  if (const auto tensors = document_.weights()->unfitted())
    show(tensors, from_path(workspace::weights_file(to_path(document_.path())).filename()));
}

void WeightMapModel::show(std::shared_ptr<const Tensors> tensors, const QString& name) {
  ++generation_;
  name_ = name;
  chosen_.clear();
  convert_ = partial_ = false;
  far_ = 0;
  replace(std::move(tensors));
  Q_EMIT ready();
}

void WeightMapModel::close() {
  ++generation_;
  name_.clear();
  replace(nullptr);
}

void WeightMapModel::replace(std::shared_ptr<const Tensors> tensors) {
  beginResetModel();
  mapping_ = {};
  tensors_ = std::move(tensors);
  endResetModel();
  renew();
}

void WeightMapModel::renew() {
  beginResetModel();
  mapping_ = {};
  problems_.clear();
  offered_.clear();
  if (tensors_) {
    Graph flat = document_.flat();
    const auto last = static_cast<MappedBy>(static_cast<int>(MappedBy::similar_name) + far_);
    mapping_ = workspace::mapping_of(chosen_, last, flat, document_.validator(), *tensors_);
    offered_ = *tensors_;
    for (MappedWeight& m : mapping_.parameters) {
      const auto chosen = chosen_.find(m.parameter);
      if (chosen == chosen_.end() || !chosen->second.empty() || m.tensor.empty()) continue;
      mapping_.unused.push_back(m.tensor);  // none is wanted
      offered_.erase(m.tensor);
      m.tensor.clear();
      m.by = MappedBy::nothing;
    }
    std::ranges::sort(mapping_.unused);
    flat.weight_names = mapping_.names(flat);
    for (const Diagnostic& d : fit_weights(flat, document_.validator(), offered_, WeightsTaken::all_or_nothing,
                                           convert_ ? OtherDtypes::converted : OtherDtypes::refused)
                                   .problems)
      problems_[d.node + "." + d.socket] = d.reason;
  }
  endResetModel();
  Q_EMIT changed();
}

QString WeightMapModel::summary() const {
  const auto found = std::ranges::count_if(mapping_.parameters, [](const auto& m) { return !m.tensor.empty(); });
  QString text = tr("Tensors for %1 of %n parameters", nullptr, static_cast<int>(mapping_.parameters.size()))
                     .arg(format_count(static_cast<double>(found)));
  const auto misfits = std::ranges::count_if(
      mapping_.parameters, [&](const auto& m) { return !m.tensor.empty() && problems_.contains(m.parameter); });
  if (misfits > 0) text += tr(", %1 of another dtype or size").arg(format_count(static_cast<double>(misfits)));
  if (!mapping_.unused.empty())
    text += QLatin1String("; ") + tr("%1 left over").arg(format_count(static_cast<double>(mapping_.unused.size())));
  if (unread_ > 0)
    text += QLatin1String("; ") +
            tr("%1 of dtypes that Halfwire does not have").arg(format_count(static_cast<double>(unread_)));
  if (!mapping_.network.empty()) text += QLatin1String("; ") + tr("names of %1").arg(to_q(mapping_.network));
  return text + QLatin1Char('.');
}

QString WeightMapModel::problem() const {
  if (isBusy()) return tr("The graph is running. Stop it first.");
  return {};
}

QStringList WeightMapModel::unused() const {
  QStringList names;
  for (const std::string& name : mapping_.unused) names.append(to_q(name));
  return names;
}

void WeightMapModel::setFar(int far) {
  if (far == far_ || far < 0 || far > 2) return;
  far_ = far;
  renew();
}

void WeightMapModel::setConvert(bool on) {
  if (on == convert_) return;
  convert_ = on;
  renew();
}

void WeightMapModel::setPartial(bool on) {
  if (on == partial_) return;
  partial_ = on;
  Q_EMIT changed();
}

bool WeightMapModel::loadable() const {
  if (!tensors_ || isBusy()) return false;
  const auto fits = [&](const MappedWeight& m) { return !m.tensor.empty() && !problems_.contains(m.parameter); };
  return partial_ ? std::ranges::any_of(mapping_.parameters, fits) : problems_.empty();
}

QStringList WeightMapModel::candidates(int row) const {
  if (row < 0 || row >= rowCount()) return {};
  const MappedWeight& m = mapping_.parameters[static_cast<size_t>(row)];
  QStringList names{QString()};
  if (!m.tensor.empty()) names.append(to_q(m.tensor));
  for (const std::string& name : mapping_.unused)
    if (tensors_->at(name).dims() == m.dims) names.append(to_q(name));
  return names;
}

void WeightMapModel::choose(int row, const QString& tensor) {
  if (row < 0 || row >= rowCount()) return;
  const MappedWeight& m = mapping_.parameters[static_cast<size_t>(row)];
  if (to_q(m.tensor) == tensor) return;
  std::erase_if(chosen_, [&](const auto& c) { return !tensor.isEmpty() && c.second == to_std(tensor); });
  chosen_[m.parameter] = to_std(tensor);
  renew();
}

void WeightMapModel::load() {
  if (!loadable()) return;
  auto names = mapping_.names(document_.flat());
  document_.weights()->load(offered_, std::move(names),
                            partial_ ? WeightsTaken::what_fits : WeightsTaken::all_or_nothing,
                            convert_ ? OtherDtypes::converted : OtherDtypes::refused);
  close();
}

int WeightMapModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(mapping_.parameters.size());
}

QVariant WeightMapModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) return {};
  const MappedWeight& m = mapping_.parameters[static_cast<size_t>(index.row())];
  const auto tensor = tensors_->find(m.tensor);
  const auto problem = problems_.find(m.parameter);
  switch (role) {
    case ParameterRole:
      return to_q(m.parameter);
    case NeedsRole:
      return value_text(m.dtype, m.dims);
    case TensorRole:
      return to_q(m.tensor);
    case HasRole:
      return tensor == tensors_->end() ? QString() : value_text(tensor->second.dtype(), tensor->second.dims());
    case FoundByRole:
      return found_text(m.by);
    case ProblemRole:
      return problem == problems_.end() ? QString() : to_q(problem->second);
    default:
      return {};
  }
}

QHash<int, QByteArray> WeightMapModel::roleNames() const {
  return {{ParameterRole, "parameter"}, {NeedsRole, "needs"},    {TensorRole, "tensor"}, {HasRole, "has"},
          {FoundByRole, "foundBy"},     {ProblemRole, "problem"}};
}

}  // namespace hw::app
