#include "app/models/sizes/sizes_model.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "app/document/text.h"
#include "engine/expression/calculation.h"

namespace hw::app {
namespace {

using interop::SizeConstraint;

constexpr size_t kMostLines = 3;  // of what is missing

/// "image [1, 3, height, width]".
QString shape_text(const interop::OnnxValue& input) {
  QStringList sizes;
  for (size_t d = 0; d < input.dims->size(); ++d) {
    const int64_t size = (*input.dims)[d].size;
    sizes.append(size < 0 ? to_q(interop::symbol_of(input, d)) : QString::number(size));
  }
  return to_q(input.name) + QStringLiteral(" [") + sizes.join(QStringLiteral(", ")) + QLatin1Char(']');
}

double number_in(const QString& text) {
  return expression::calculated(to_std(text.trimmed())).value_or(std::numeric_limits<double>::quiet_NaN());
}

}  // namespace

SizesModel::SizesModel(QObject* parent) : QAbstractListModel(parent) {}

bool SizesModel::asks(const interop::OnnxModel& file, const interop::ImportedModel& made) {
  return std::ranges::any_of(interop::symbolic_sizes(file.graph), [&](const interop::SymbolicSize& size) {
    return interop::constraint_of(made, size.symbol) != SizeConstraint::symbolic;
  });
}

SizesModel::Sizes SizesModel::proposed(const interop::OnnxModel& file) {
  Sizes sizes;
  for (const interop::SymbolicSize& size : interop::symbolic_sizes(file.graph)) sizes[size.symbol] = size.example.size;
  return sizes;
}

void SizesModel::show(const QString& name, const interop::OnnxModel& file, const interop::ImportedModel& made) {
  beginResetModel();
  rows_.clear();
  for (const interop::SymbolicSize& size : interop::symbolic_sizes(file.graph)) {
    Row row;
    row.symbol = to_q(size.symbol);
    QStringList uses, shapes;
    for (const auto& [input, axis] : size.uses) {
      uses.append(tr("%1 axis %2").arg(to_q(input->name)).arg(axis));
      if (const QString shape = shape_text(*input); !shapes.contains(shape)) shapes.append(shape);
    }
    row.uses = uses.join(QStringLiteral(", "));
    row.shapes = shapes.join(QLatin1Char('\n'));
    row.example = size.example;
    row.text = QString::number(size.example.size);
    take(row, made);
    rows_.push_back(std::move(row));
  }
  std::ranges::stable_partition(rows_, &Row::asked);
  endResetModel();
  name_ = name;
  busy_ = false;
  explain(made);
  Q_EMIT changed();
  Q_EMIT asked();
}

void SizesModel::take(Row& row, const interop::ImportedModel& made) const {
  const std::string symbol = to_std(row.symbol);
  const auto multiple = made.multiples.find(symbol);
  row.constraint = interop::constraint_of(made, symbol);
  row.multiple = multiple == made.multiples.end() ? 1 : multiple->second;
}

void SizesModel::explain(const interop::ImportedModel& made) {
  read_ = sizes();
  refused_.clear();
  because_ = to_q(made.fixed_because);
  lacks_.clear();
  if (made.missing_at.empty()) return;
  const std::vector<std::string> lines = interop::missing_lines(made);
  QStringList said;
  for (size_t i = 0; i < std::min(kMostLines, lines.size()); ++i) said.append(to_q(lines[i]));
  lacks_ = said.join(QLatin1Char(' ')) + (lines.size() > kMostLines ? QStringLiteral(" …") : QString());
}

bool SizesModel::renew(const interop::ImportedModel& made) {
  QStringList stricter;
  for (Row& row : rows_) {
    const SizeConstraint before = row.constraint;
    take(row, made);
    if (row.constraint > before) stricter.append(row.symbol);
  }
  busy_ = false;
  explain(made);
  if (!stricter.isEmpty() && made.missing_at.empty())
    refused_ = tr("With these sizes more has to be known: %1.").arg(stricter.join(QStringLiteral(", ")));
  if (!rows_.empty()) Q_EMIT dataChanged(index(0), index(rowCount() - 1));
  Q_EMIT changed();
  return stricter.isEmpty() && made.missing_at.empty();
}

void SizesModel::refuse(const QString& problem) {
  busy_ = false;
  refused_ = problem;
  Q_EMIT changed();
}

void SizesModel::setBusy(bool busy) {
  busy_ = busy;
  Q_EMIT changed();
}

void SizesModel::close() {
  if (name_.isEmpty()) return;
  name_.clear();
  busy_ = false;
  Q_EMIT changed();
  Q_EMIT closed();
}

SizesModel::Sizes SizesModel::sizes() const {
  Sizes sizes;
  for (const Row& row : rows_)
    if (problemOf(row).empty()) sizes[to_std(row.symbol)] = static_cast<int64_t>(number_in(row.text));
  return sizes;
}

std::string SizesModel::problemOf(const Row& row) const {
  return interop::size_problem(number_in(row.text), row.multiple);
}

void SizesModel::type(int row, const QString& text) {
  if (row < 0 || row >= rowCount() || rows_[static_cast<size_t>(row)].text == text) return;
  rows_[static_cast<size_t>(row)].text = text;
  refused_.clear();
  Q_EMIT dataChanged(index(row), index(row), {TextRole, ProblemRole});
  Q_EMIT changed();
}

QString SizesModel::nudged(int row, int direction) const {
  if (row < 0 || row >= rowCount()) return {};
  const Row& r = rows_[static_cast<size_t>(row)];
  const double now = number_in(r.text), step = static_cast<double>(r.multiple);
  if (!interop::size_problem(std::floor(now)).empty()) return QString::number(r.example.size);
  const double next = direction > 0 ? std::floor(now / step) + 1 : std::ceil(now / step) - 1;
  const double most = std::floor(static_cast<double>(interop::kMostSize) / step);
  return QString::number(static_cast<int64_t>(std::clamp(next, 1.0, most) * step));
}

int SizesModel::firstWrong() const {
  const auto wrong = std::ranges::find_if(rows_, [&](const Row& row) { return !problemOf(row).empty(); });
  return wrong == rows_.end() ? -1 : static_cast<int>(wrong - rows_.begin());
}

void SizesModel::accept() {
  if (!name_.isEmpty() && !busy_ && valid()) Q_EMIT accepted(sizes());
}

void SizesModel::cancel() {
  if (!name_.isEmpty()) Q_EMIT cancelled();
}

QString SizesModel::because() const {
  const auto any = [&](SizeConstraint constraint) {
    return std::ranges::find(rows_, constraint, &Row::constraint) != rows_.end();
  };
  QString text = because_.isEmpty() ? tr("Not all of this model can be read with the sizes that are proposed.")
                 : any(SizeConstraint::fixed)
                     ? tr("An operator has to know a size, which is a number from here on: %1").arg(because_)
                     : tr("Sizes are multiples of a number, because of %1").arg(because_);
  if (any(SizeConstraint::symbolic) || any(SizeConstraint::multiples))
    text += QLatin1Char(' ') + tr("What stays symbolic has its value only while nothing is given.");
  return text;
}

QString SizesModel::problem() const {
  if (!refused_.isEmpty()) return refused_;
  return lacking() ? tr("With these sizes this is not read; with others it may be. %1").arg(lacks_) : QString();
}

bool SizesModel::lacking() const {
  return !lacks_.isEmpty() && sizes() == read_;
}

int SizesModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

QVariant SizesModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) return {};
  const Row& row = rows_[static_cast<size_t>(index.row())];
  switch (role) {
    case SymbolRole:
      return row.symbol;
    case UsesRole:
      return row.uses;
    case ShapesRole:
      return row.shapes;
    case AskedRole:
      return row.asked();
    case TextRole:
      return row.text;
    case BecomesRole:
      switch (row.constraint) {
        case SizeConstraint::symbolic:
          return tr("stays symbolic");
        case SizeConstraint::multiples:
          return tr("symbolic, multiples of %1").arg(row.multiple);
        case SizeConstraint::fixed:
          return tr("a number from here on");
        case SizeConstraint::unfit:
          return tr("symbolic if operators can");
      }
      return {};
    case FromRole:
      return tr("%1, %2").arg(row.example.size).arg(to_q(row.example.from));
    case ProblemRole:
      return to_q(problemOf(row));
    default:
      return {};
  }
}

QHash<int, QByteArray> SizesModel::roleNames() const {
  return {{SymbolRole, "symbol"}, {UsesRole, "uses"},       {ShapesRole, "shapes"}, {AskedRole, "asked"},
          {TextRole, "text"},     {BecomesRole, "becomes"}, {FromRole, "from"},     {ProblemRole, "problem"}};
}

}  // namespace hw::app
