#include "app/models/inspector/inspector_model.h"

#include <QClipboard>
#include <QDir>
#include <QFileInfo>
#include <QGuiApplication>
#include <algorithm>

#include "app/document/text.h"
#include "app/document/without_commands.h"
#include "app/models/cards/card.h"
#include "app/models/graph/rename.h"
#include "app/models/inspector/promotion.h"
#include "app/models/text/node_docs.h"
#include "app/models/text/param_value.h"
#include "engine/expression/typed_param.h"
#include "engine/graph/check/check_tie.h"
#include "engine/graph/check/check_type.h"
#include "engine/graph/node_draws.h"
#include "engine/io/asset/asset_paths.h"
#include "engine/plan/train_settings.h"
#include "engine/program/random_ops.h"

namespace hw::app {
namespace {

constexpr int kDragMergeId = 0x5343;  // one scrub, one undo step

using Given = Result<std::optional<ParamValue>>;

Given given(const ParamValue& value) {
  return std::optional(value);
}

bool is_node(const Node&) {
  return true;
}

bool has_weights(const Node& node) {
  const NodeType* type = Registry::instance().find(node.type);
  return type && !type->decl.weights().empty();
}

bool has_statistics(const Node& node) {
  const NodeType* type = Registry::instance().find(node.type);
  return type && std::ranges::any_of(type->decl.weights(), &WeightDecl::statistics);
}

QVariant bound(const std::optional<double>& value) {
  return value ? QVariant(*value) : QVariant();
}

}  // namespace

InspectorModel::InspectorModel(Document& document, QObject* parent) : QAbstractListModel(parent), document_(document) {
  connect(&document, &Document::selectionChanged, this, [this] { follow(false); });
  connect(&document, &Document::shownChanged, this, [this] { follow(true); });
  connect(&document, &Document::nodesAdded, this, [this](const QStringList& ids) {
    if (ids.contains(node_)) follow(true);
  });
  connect(&document, &Document::nodesChanged, this, [this](const QStringList& ids) {
    if (edited_.any_of(ids)) refreshValues();
    Q_EMIT drawsChanged();  // the seed may be another
  });
  connect(&document, &Document::historyChanged, this, [this] {
    if (inGroup() && rowCount() > 0) Q_EMIT dataChanged(index(0), index(rowCount() - 1), {PromotedRole});
  });
  connect(this, &InspectorModel::weightsChanged, this, [this] { tieChoices_.reset(); });
  connect(&document, &Document::structureChanged, this, &InspectorModel::weightsChanged);
  connect(&document, &Document::validationChanged, this, [this](const QStringList& ids) {
    if (node_.isEmpty() || !ids.contains(node_)) return;
    if (rowCount() > 0) Q_EMIT dataChanged(index(0), index(rowCount() - 1), {ErrorRole});
    Q_EMIT problemsChanged();
  });
}

void InspectorModel::follow(bool always) {
  const bool had_several = several();
  if (!always && document_.activeNode() == node_ && !had_several && document_.selection().nodes().size() < 2) {
    Q_EMIT nodeChanged();
    return;
  }
  beginResetModel();
  edited_.follow();
  node_ = document_.activeNode();
  const std::optional<Node> node = now();
  if (!node) node_.clear();
  type_ = node ? Registry::instance().find(node->type) : nullptr;
  interface_ = node ? interface_in(document_.graph(), *node) : std::nullopt;
  endResetModel();
  Q_EMIT nodeChanged();
  Q_EMIT docsChanged();
  Q_EMIT titleChanged();
  Q_EMIT problemsChanged();
  Q_EMIT weightsChanged();
  Q_EMIT drawsChanged();
}

void InspectorModel::refreshValues() {
  if (isGroup()) return follow(true);  // its definition may have other parameters
  if (rowCount() > 0) {
    Q_EMIT dataChanged(
        index(0), index(rowCount() - 1),
        {ValueRole, TextRole, IsDefaultRole, FactsRole, ErrorRole, HeadingRole, StandInRole, AppliesRole, MixedRole});
  }
  if (several()) Q_EMIT weightsChanged();  // its flags
  Q_EMIT titleChanged();
  if (type_ && type_->sockets) Q_EMIT docsChanged();
}

std::optional<Node> InspectorModel::now() const {
  const Node* node = document_.shown().graph().find(to_std(node_));
  return node ? std::optional(given_node(document_.shown().scope(), *node)) : std::nullopt;
}

QString InspectorModel::title() const {
  return several() ? tr("%1 nodes").arg(selectedCount()) : activeTitle();
}

QString InspectorModel::activeTitle() const {
  const std::optional<Node> node = now();
  return node ? to_q(display_name(document_.graph(), *node)) : QString();
}

QString InspectorModel::typeTitle() const {
  if (several()) return edited_.typeTitle();
  if (type_) return to_q(type_->decl.title());
  const std::optional<Node> node = now();
  if (isGroup()) return tr("Group");
  return node ? to_q(node->type) : QString();
}

QString InspectorModel::unknownText() const {
  const std::optional<Node> node = now();
  if (!node || known()) return {};
  if (foreign_operator(*node))
    return without_commands(sentence("It " + foreign_text(*node))) + QLatin1Char(' ') +
           tr("Its wires are kept, and saved again.");
  return tr("This version does not know the node type “%1”. It is kept as it is, and saved again.").arg(typeTitle());
}

bool InspectorModel::isGroup() const {
  return interface_ && !type_;
}

QString InspectorModel::category() const {
  return interface_ ? to_q((*interface_)->category()) : QString();
}

bool InspectorModel::hasWeights() const {
  return edited_.all(has_weights, has_weights);
}

bool InspectorModel::hasStatistics() const {
  return edited_.all(has_weights, has_statistics);
}

bool InspectorModel::frozen() const {
  return edited_.all(has_weights, [](const Node& node) { return node.frozen; });
}

bool InspectorModel::bypassed() const {
  return edited_.all(is_node, [](const Node& node) { return node.bypassed; });
}

bool InspectorModel::collapsed() const {
  return edited_.all(is_node, [](const Node& node) { return node.collapsed; });
}

QString InspectorModel::tie() const {
  const std::optional<Node> node = now();
  return node ? to_q(node->tie) : QString();
}

QStringList InspectorModel::tieChoices() const {
  if (tieChoices_) return *tieChoices_;  // QML asks for each of them again
  QStringList& list = tieChoices_.emplace();
  const std::optional<Node> node = now();
  if (!node || several()) return list;
  for (const std::string& id : tie_candidates(document_.shown().graph(), *node)) list.append(to_q(id));
  if (!node->tie.empty() && !list.contains(to_q(node->tie))) list.append(to_q(node->tie));
  return list;
}

void InspectorModel::setFrozen(bool on) {
  edited_.edit(on ? tr("Freeze") : tr("Unfreeze"), [on](const Node& node) {
    return has_weights(node) && node.frozen != on ? std::optional<Edit>(SetFrozen{node.id, on}) : std::nullopt;
  });
}

void InspectorModel::setTie(const QString& owner) {
  if (several() || !hasWeights() || owner == tie()) return;
  document_.push(owner.isEmpty() ? tr("Use own weights") : tr("Share weights"), {SetTie{to_std(node_), to_std(owner)}});
}

QString InspectorModel::draws() const {
  const std::optional<Node> node = now();
  if (!node || several()) return {};
  const RandomParams random = node_draws(*node);
  if (!random.draws) return {};
  std::optional<uint64_t> seed;
  if (const auto trainer = find_trainer(document_.flat())) {
    const ParamValue value = param_value(*document_.flat().find(*trainer), "seed");
    if (const auto* whole = std::get_if<int64_t>(&value)) seed = static_cast<uint64_t>(*whole);
  }
  return to_q(draw_text(random.stream(), seed, step_ == 0 ? 0 : step_ - 1));
}

void InspectorModel::setStep(uint64_t done) {
  if (done == step_) return;
  step_ = done;
  if (type_ && type_->decl.is_random()) Q_EMIT drawsChanged();
}

void InspectorModel::copyDraws() const {
  QGuiApplication::clipboard()->setText(draws());
}

QStringList InspectorModel::docs() const {
  const std::optional<Node> node = now();
  if (!node || !interface_) return {};
  const Declaration declared = type_ ? type_->declared(node->params) : *interface_;
  return node_docs(*declared);
}

QVariantList InspectorModel::problems() const {
  QVariantList list;
  if (node_.isEmpty() || several()) return list;
  for (const Diagnostic& d : document_.validator().of(document_.shown().path_of(to_std(node_)))) {
    list.append(
        QVariantMap{{"severity", to_q(name(d.severity))}, {"code", to_q(d.code)}, {"reason", sentence(d.reason)}});
  }
  return list;
}

QString InspectorModel::setText(const QString& param, const QString& text) {
  const ParamDecl* p = edited_.find(to_std(param));
  if (!p) return {};
  return edited_.change(*p, [typed = to_std(text)](const ParamDecl& own, const ParamValue& now) -> Given {
    HW_TRY(const ParamValue value, parse_typed(own, typed, now));
    return given(value);
  });
}

QString InspectorModel::problemWith(const QString& param, const QString& text) const {
  const ParamDecl* p = edited_.find(to_std(param));
  const std::optional<Node> node = now();
  if (!p || !node) return {};
  ParamMap params = node->params;
  params[p->id] = to_std(text);
  const Declaration declared = type_->declared(params);
  if (declared.status()) return {};
  const Error& error = declared.status().error();
  return sentence(error.reason + (error.remedy.empty() ? "" : " " + error.remedy));
}

void InspectorModel::setValue(const QString& param, const QVariant& value, bool dragging) {
  const ParamDecl* p = edited_.find(to_std(param));
  if (!p || !from_qml(*p, value)) return;
  edited_.change(
      *p, [&](const ParamDecl& own, const ParamValue&) { return given(*from_qml(own, value)); },
      dragging ? kDragMergeId : -1);
}

void InspectorModel::nudge(const QString& param, int direction) {
  document_.letGo();  // from the stored value, not the one being dragged
  const ParamDecl* p = edited_.find(to_std(param));
  if (!p) return;
  edited_.change(*p, [&](const ParamDecl& own, const ParamValue& now) {
    return given(from_qml(own, app::nudge(own, to_qml(now).toDouble(), direction)).value_or(now));
  });
}

void InspectorModel::resetParam(const QString& param) {
  const ParamDecl* p = edited_.find(to_std(param));
  if (p) edited_.change(*p, [](const ParamDecl&, const ParamValue&) { return Given(std::nullopt); });
}

void InspectorModel::setLabel(const QString& label) {
  rename_node(document_, node_, label);
}

bool InspectorModel::inGroup() const {
  return document_.shown().definition() != nullptr;
}

void InspectorModel::setPromoted(const QString& param, bool on) {
  set_promoted(document_, to_std(node_), to_std(param), on);
}

QVariantList InspectorModel::joinable(const QString& param) const {
  const ParamDecl* p = edited_.find(to_std(param));
  return p ? app::joinable(document_, to_std(node_), *p) : QVariantList();
}

void InspectorModel::join(const QString& param, const QString& with) {
  app::join(document_, to_std(node_), to_std(param), to_std(with));
}

double InspectorModel::scrubbed(const QString& param, double value, double steps, bool snaps) const {
  const ParamDecl* p = edited_.find(to_std(param));
  return p ? scrub(*p, value, steps, snaps) : value;
}

QString InspectorModel::pathFor(const QUrl& file) const {
  const QString path = file.toLocalFile();
  if (document_.path().isEmpty()) return path;
  return to_q(path_named_in(to_path(QFileInfo(document_.path()).absolutePath()), to_path(path)));
}

QString InspectorModel::errorOf(const std::string& param) const {
  for (const Diagnostic& d : document_.validator().of(document_.shown().path_of(to_std(node_)))) {
    if (d.socket == param && d.severity == Severity::error) return to_q(d.reason);
  }
  return {};
}

int InspectorModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() || !interface_ ? 0 : static_cast<int>(edited_.params().size());
}

QVariant InspectorModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const NodeDecl& declared = **interface_;
  const ParamDecl& p = edited_.params()[static_cast<size_t>(index.row())];
  const std::optional<Node> node = now();
  if (!node) return {};  // removed; the reset follows
  const ParamValue value = value_on(*interface_, *node, p.id);
  switch (role) {
    case ParamRole:
      return to_q(p.id);
    case LabelRole:
    case Qt::DisplayRole:
      return to_q(p.label);
    case DocRole:
      return to_q(p.doc);
    case UnitRole:
      return to_q(p.unit);
    case KindRole:
      return p.is_multiline ? QStringLiteral("lines") : to_q(name(p.type));
    case ValueRole:
      return to_qml(value);
    case TextRole:
      return edited_.mixed(p) ? QString() : to_q(to_string(value));
    case MixedRole:
      return edited_.mixed(p);
    case IsDefaultRole:
      return value == p.value && !edited_.mixed(p);
    case DefaultTextRole:
      return to_q(p.default_means.empty() ? to_string(p.value) : p.default_means);
    case MinRole:
      return bound(p.min);
    case MaxRole:
      return bound(p.max);
    case LogarithmicRole:
      return p.is_logarithmic;
    case ChoicesRole: {
      QStringList choices;
      for (const std::string& c : p.choices) choices.append(to_q(c));
      return choices;
    }
    case FactsRole:
      return p.type == ParamDecl::Type::dtype && !edited_.mixed(p) ? dtype_facts(std::get<std::string>(value))
                                                                   : QString();
    case LiveRole:
      return p.is_live;
    case ErrorRole:
      return errorOf(p.id);
    case HeadingRole: {
      const bool first = index.row() == 0 || edited_.params()[static_cast<size_t>(index.row()) - 1].group != p.group;
      return first && applies(p, declared, node->params) ? to_q(p.group) : QString();
    }
    case StandInRole:
      return edited_.mixed(p) ? tr("mixed") : value == p.value ? to_q(p.default_means) : QString();
    case PromotedRole:
      return is_promoted(document_, node->id, p.id);
    case AppliesRole:
      return applies(p, declared, node->params);
    default:
      return {};
  }
}

QHash<int, QByteArray> InspectorModel::roleNames() const {
  return {{ParamRole, "param"},     {LabelRole, "label"},         {DocRole, "doc"},
          {UnitRole, "unit"},       {KindRole, "kind"},           {ValueRole, "value"},
          {TextRole, "valueText"},  {IsDefaultRole, "isDefault"}, {DefaultTextRole, "defaultText"},
          {MinRole, "minimum"},     {MaxRole, "maximum"},         {LogarithmicRole, "logarithmic"},
          {ChoicesRole, "choices"}, {FactsRole, "facts"},         {LiveRole, "live"},
          {ErrorRole, "error"},     {HeadingRole, "heading"},     {StandInRole, "standIn"},
          {AppliesRole, "applies"}, {PromotedRole, "promoted"},   {MixedRole, "mixed"}};
}

}  // namespace hw::app
