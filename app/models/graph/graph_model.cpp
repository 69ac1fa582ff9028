#include "app/models/graph/graph_model.h"

#include <algorithm>

#include "app/models/graph/verdicts.h"
#include "app/models/instruments/heat_map_model.h"
#include "app/models/instruments/instruments_model.h"
#include "app/models/run/device_model.h"
#include "app/models/text/param_value.h"
#include "engine/graph/node_draws.h"
#include "engine/program/random_ops.h"

namespace hw::app {
GraphModel::GraphModel(Document& document, QObject* parent) : QAbstractListModel(parent), document_(document) {
  connect(&document_, &Document::reset, this, [this] { findings_.clear(); });  // of another document
  connect(&document_, &Document::shownChanged, this, &GraphModel::reload);
  connect(&document_, &Document::nodesAdded, this, &GraphModel::add_rows);
  connect(&document_, &Document::nodesRemoved, this, &GraphModel::remove_rows);
  connect(&document_, &Document::nodesChanged, this, &GraphModel::change_rows);
  connect(&document_, &Document::linksChanged, this, &GraphModel::change_links);
  connect(&document_, &Document::validationChanged, this, &GraphModel::change_states);
  connect(&document_, &Document::selectionChanged, this, &GraphModel::change_selection);
  reload();
}

int GraphModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : count();
}

QHash<int, QByteArray> GraphModel::roleNames() const {
  return {{NodeIdRole, "nodeId"},
          {TypeRole, "type"},
          {TitleRole, "title"},
          {CategoryRole, "category"},
          {SummaryRole, "summary"},
          {PosXRole, "posX"},
          {PosYRole, "posY"},
          {CardWidthRole, "cardWidth"},
          {CardHeightRole, "cardHeight"},
          {InputsRole, "inputs"},
          {OutputsRole, "outputs"},
          {InputStatesRole, "inputStates"},
          {OutputStatesRole, "outputStates"},
          {CardParamsRole, "cardParams"},
          {ParamValuesRole, "paramValues"},
          {SelectedRole, "selected"},
          {ActiveRole, "active"},
          {StatusRole, "status"},
          {StatusTextRole, "statusText"},
          {RandomRole, "random"},
          {RandomFixedRole, "randomFixed"},
          {RandomTextRole, "randomText"},
          {PassesRole, "passes"},
          {MsRole, "ms"},
          {BypassedRole, "bypassed"},
          {FrozenRole, "frozen"},
          {TieRole, "tie"},
          {DeviceRole, "device"},
          {CollapsedRole, "collapsed"},
          {IsGroupRole, "isGroup"},
          {InstrumentsRole, "instruments"},
          {HeatRole, "heat"}};
}

QVariant GraphModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= count()) return {};
  const Row& row = rows_[static_cast<size_t>(index.row())];
  const NodeType* type = row.card.type;
  switch (role) {
    case NodeIdRole:
      return row.id;
    case TypeRole:
      return to_q(row.node.type);
    case Qt::DisplayRole:
    case TitleRole:
      return to_q(display_name(document_.graph(), row.node));
    case CategoryRole:
      return type ? to_q(type->decl.category()) : QString();
    case SummaryRole:
      return type ? to_q(type->decl.summary()) : QString();
    case PosXRole:
      return row.node.x;
    case PosYRole:
      return row.node.y;
    case CardWidthRole:
      return row.card.size.width();
    case CardHeightRole:
      return row.card.size.height();
    case InputsRole:
      return describe_sockets(row.card, false);
    case OutputsRole:
      return describe_sockets(row.card, true);
    case InputStatesRole:
      return states_of(row, false);
    case OutputStatesRole:
      return states_of(row, true);
    case CardParamsRole:
      return describe_params(row.card);
    case ParamValuesRole: {
      QVariantMap values;
      for (const ParamDecl* p : row.card.params)
        values[to_q(p->id)] = to_qml(value_on(*row.card.declaration, row.node, p->id));
      return values;
    }
    case SelectedRole:
      return selected_.contains(row.id);
    case ActiveRole:
      return active_ == row.id;
    case StatusRole:
      return row.status;
    case StatusTextRole:
      return row.statusText;
    case RandomRole:
      return node_draws(row.node).draws;
    case RandomFixedRole:
      return node_draws(row.node).fixed(path_of(row).toStdString());
    case RandomTextRole: {
      const RandomParams r = node_draws(row.node);
      return r.draws ? tr("Draws from %1").arg(to_q(draw_text(r.stream(), {}, {}))) : QString();
    }
    case PassesRole:
      return passes_.value(path_of(row));
    case MsRole:
      return ms_of(row);
    case BypassedRole:
      return row.node.bypassed;
    case FrozenRole:
      return row.node.frozen;
    case TieRole:
      return to_q(row.node.tie);
    case DeviceRole:
      return to_q(row.node.device);
    case CollapsedRole:
      return row.node.collapsed;
    case IsGroupRole:
      return !type && row.card.declaration.has_value();
    case InstrumentsRole:
      return instruments_ ? instruments_->of(path_of(row), row.card.outputs) : QVariantMap();
    case HeatRole:
      return heat_map_ ? heat_map_->of(path_of(row)) : QVariantMap();
    default:
      return {};
  }
}

double GraphModel::ms_of(const Row& row) const {
  const QString path = path_of(row), below = path + QLatin1Char('/');
  double ms = nodeMs_.value(path, 0.0).toDouble();
  if (!group_of(row.node)) return ms;
  for (auto it = nodeMs_.lowerBound(below); it != nodeMs_.end() && it.key().startsWith(below); ++it)
    ms += it.value().toDouble();
  return ms;
}

QString GraphModel::path_of(const Row& row) const {
  return document_.pathOf(row.id);
}

const Card* GraphModel::card(const QString& id) const {
  const int row = rowOf(id);
  return row < 0 ? nullptr : &cardAt(row);
}

QRectF GraphModel::rectAt(int row) const {
  const Row& r = rows_[static_cast<size_t>(row)];
  return {QPointF(r.node.x, r.node.y), r.card.size};
}

QRectF GraphModel::nodeRect(const QString& id) const {
  const int row = rowOf(id);
  return row < 0 ? QRectF() : rectAt(row);
}

QPointF GraphModel::anchor(std::string_view node, std::string_view socket, bool isOutput) const {
  const int row = rowOf(to_q(node));
  if (row < 0) return {};
  const Row& r = rows_[static_cast<size_t>(row)];
  return QPointF(r.node.x, r.node.y) + r.card.anchor(socket, isOutput);
}

QString GraphModel::whyNot(const Link& link) const {
  const auto refusal = document_.checkLink(link);
  return refusal ? to_q(refusal->reason) : QString();
}

QStringList GraphModel::categories() const {
  QStringList names;
  for (const auto& [id, type] : Registry::instance().all()) names.append(to_q(type.decl.category()));
  names.sort();
  names.removeDuplicates();
  return names;
}

QString GraphModel::dtypeToken(const QString& name) const {
  const auto dtype = dtype_from_name(name.toStdString());
  return dtype ? to_q(info(*dtype).colour_token) : QStringLiteral("dtypeAny");
}

QString GraphModel::socketText(const QString& node, const QString& socket, bool isOutput) const {
  const int row = rowOf(node);
  if (row < 0) return {};
  const Row& r = rows_[static_cast<size_t>(row)];
  const std::vector<CardSocket>& sockets = isOutput ? r.card.outputs : r.card.inputs;
  const QVariantList& states = states_of(r, isOutput);
  for (size_t i = 0; i < sockets.size() && i < static_cast<size_t>(states.size()); ++i) {
    if (to_q(sockets[i].id) != socket) continue;
    return socket_text(sockets[i], states[static_cast<qsizetype>(i)].toMap());
  }
  return {};
}

void GraphModel::setNodeMs(const QVariantMap& ms) {
  if (ms == nodeMs_) return;
  nodeMs_ = ms;
  Q_EMIT nodeMsChanged();
  if (count() > 0) Q_EMIT dataChanged(index(0), index(count() - 1), {MsRole});
}

void GraphModel::setInstruments(InstrumentsModel* instruments) {
  instruments_ = instruments;
  connect(instruments, &InstrumentsModel::readingsChanged, this, [this] { gauges_.restart(); });
}

void GraphModel::setHeatMap(HeatMapModel* map) {
  heat_map_ = map;
  for (const auto told : {&HeatMapModel::choiceChanged, &HeatMapModel::heatChanged}) {
    connect(map, told, this, [this] {
      gauges_.restart();
      Q_EMIT wireLooksChanged();
    });
  }
}

const HeatMapModel* GraphModel::heatMap() const {
  return heat_map_ && heat_map_->on() ? heat_map_ : nullptr;
}

QString GraphModel::wireText(const Link& link) const {
  const auto type = document_.validator().output_type(document_.shown().path_of(link.from), link.from_socket);
  QStringList lines{type ? to_q(to_string(*type)) : tr("type not known yet")};
  if (devices_) lines << devices_->wireText(link);
  if (const HeatMapModel* map = heatMap()) lines << map->wordsOf(flat_link(document_.shown().scope(), link));
  lines.removeAll(QString());
  return lines.join(QLatin1Char('\n'));
}

void GraphModel::setPasses(const QHash<QString, QString>& texts) {
  const QHash<QString, QString> before = std::exchange(passes_, texts);
  for (int row = 0; row < count(); ++row)
    if (before.value(path_of(rows_[static_cast<size_t>(row)])) != texts.value(path_of(rows_[static_cast<size_t>(row)])))
      tell(row, {PassesRole});
}

void GraphModel::setFindings(const std::vector<Diagnostic>& problems) {
  if (problems == findings_) return;
  QStringList touched;
  for (const auto* list : {static_cast<const std::vector<Diagnostic>*>(&findings_), &problems}) {
    for (const Diagnostic& d : *list)
      if (const auto id = document_.shown().shown_at(d.node)) touched.append(to_q(*id));
  }
  findings_ = problems;
  touched.removeDuplicates();
  change_states(touched);
}

GraphModel::Row GraphModel::make_row(const Node& node) const {
  const Scope& scope = document_.shown().scope();
  Row row{to_q(node.id), given_node(scope, node), make_card(scope, node), std::nullopt, std::nullopt, {}, {}};
  refresh_states(row, nullptr);
  return row;
}

const QVariantList& GraphModel::states_of(const Row& row, bool outputs) const {
  std::optional<QVariantList>& states = outputs ? row.outputs : row.inputs;
  if (!states) states = socket_states(document_.shown().scope(), document_.validator(), row.node, row.card, outputs);
  return *states;
}

QStringList GraphModel::with_readers(const QStringList& ids) const {
  QSet<QString> all(ids.begin(), ids.end());
  for (const QString& id : ids) {
    for (const Link& link : document_.shown().graph().links_from(id.toStdString())) all.insert(to_q(link.to));
  }
  return {all.begin(), all.end()};
}

void GraphModel::refresh_states(Row& row, QVector<int>* changed) const {
  const auto set = [changed](auto& field, auto value, int role) {
    if (field == value) return;
    field = std::move(value);
    if (changed) changed->append(role);
  };
  const Scope& scope = document_.shown().scope();
  const Validator& validator = document_.validator();
  if (row.inputs) set(*row.inputs, socket_states(scope, validator, row.node, row.card, false), InputStatesRole);
  if (row.outputs) set(*row.outputs, socket_states(scope, validator, row.node, row.card, true), OutputStatesRole);
  const bool known = row.card.declaration.has_value();
  const NodeVerdict verdict = node_verdict(document_.flat(), validator, findings_, scope.prefix + row.node.id, known);
  set(row.status, verdict.status, StatusRole);
  set(row.statusText, verdict.text, StatusTextRole);
}

void GraphModel::rebuild_index() {
  index_.clear();
  index_.reserve(count());
  for (size_t i = 0; i < rows_.size(); ++i) index_[rows_[i].id] = static_cast<int>(i);
}

void GraphModel::reload() {
  beginResetModel();
  rows_.clear();
  for (const auto& [id, node] : document_.shown().graph().nodes()) rows_.push_back(make_row(node));
  selected_ = document_.selectedNodes();
  selectedLinks_ = document_.selectedLinks();
  active_ = document_.activeNode();
  rebuild_index();
  endResetModel();
  refresh_wrong_wires();
  Q_EMIT countChanged();
  Q_EMIT wiresReset();
}

void GraphModel::add_rows(const QStringList& ids) {
  std::vector<Row> added;
  added.reserve(static_cast<size_t>(ids.size()));
  for (const QString& id : ids) {
    const Node* node = document_.shown().graph().find(id.toStdString());
    if (node && !index_.contains(id)) added.push_back(make_row(*node));
  }
  if (added.empty()) return;
  beginInsertRows({}, count(), count() + static_cast<int>(added.size()) - 1);
  if (rows_.capacity() < rows_.size() + added.size()) rows_.reserve(2 * (rows_.size() + added.size()));
  for (Row& row : added) {
    index_[row.id] = count();
    rows_.push_back(std::move(row));
  }
  endInsertRows();
  Q_EMIT countChanged();
  Q_EMIT geometryChanged(ids);
}

void GraphModel::remove_rows(const QStringList& ids) {
  const QSet<QString> gone(ids.begin(), ids.end());
  const auto stays = [&](const Row& row) { return !gone.contains(row.id); };
  const auto count_kept = std::count_if(rows_.begin(), rows_.end(), stays);
  if (count_kept == count()) return;
  // Rows that go are brought together, so that they go at once.
  const auto first = std::find_if_not(rows_.begin(), rows_.end(), stays);
  const auto next = std::find_if(first, rows_.end(), stays);
  const bool together = std::all_of(next, rows_.end(), stays);
  const int begin = static_cast<int>(together ? first - rows_.begin() : count_kept);
  if (!together) {
    Q_EMIT layoutAboutToBeChanged();
    std::stable_partition(rows_.begin(), rows_.end(), stays);
    rebuild_index();
    Q_EMIT layoutChanged();
  }
  const auto from = rows_.begin() + begin, to = from + (count() - static_cast<int>(count_kept));
  beginRemoveRows({}, begin, static_cast<int>(to - rows_.begin()) - 1);
  rows_.erase(from, to);
  rebuild_index();
  endRemoveRows();
  Q_EMIT countChanged();
  Q_EMIT geometryChanged(ids);
}

void GraphModel::change_rows(const QStringList& ids) {
  QStringList moved, other_wires, other_types;
  for (const QString& id : ids) {
    const int i = rowOf(id);
    const Node* node = document_.shown().graph().find(id.toStdString());
    if (i < 0 || !node) continue;
    Row& row = rows_[static_cast<size_t>(i)];
    const Scope& scope = document_.shown().scope();
    const Node old = std::exchange(row.node, given_node(scope, *node));
    node = &row.node;
    QVector<int> roles;
    if (old.x != node->x) roles.append(PosXRole);
    if (old.y != node->y) roles.append(PosYRole);
    if (old.label != node->label) roles.append(TitleRole);
    if (old.params != node->params) {
      roles.append(ParamValuesRole);
      if (row.card.type && row.card.type->decl.is_random()) roles << RandomRole << RandomFixedRole << RandomTextRole;
    }
    const bool is_group = group_of(*node).has_value();  // whose definition may be another
    if (old.params != node->params) other_types.append(id);
    const bool other_sockets = is_group || (old.params != node->params && row.card.type && row.card.type->sockets);
    if (is_group) roles << TitleRole << CardParamsRole << ParamValuesRole;
    if (old.bypassed != node->bypassed) roles.append(BypassedRole);
    if (old.frozen != node->frozen) roles.append(FrozenRole);
    if (old.tie != node->tie) roles.append(TieRole);
    if (old.device != node->device) roles.append(DeviceRole);
    if (old.collapsed != node->collapsed || other_sockets) {
      row.card = make_card(scope, *node);
      roles << CollapsedRole << CardHeightRole << InputsRole << OutputsRole;
      if (other_sockets) refresh_states(row, &roles);
    }
    if (old.x != node->x || old.y != node->y || old.collapsed != node->collapsed || other_sockets) moved.append(id);
    if (old.params != node->params || old.bypassed != node->bypassed) other_wires.append(id);
    tell(i, roles);
  }
  if (!moved.isEmpty()) Q_EMIT geometryChanged(moved);
  rewired_ += other_types;  // what a socket says that has no type follows parameters
  if (!other_wires.isEmpty()) Q_EMIT wireLooksTouched(other_wires);
}

void GraphModel::change_links(const QStringList& ids) {
  QStringList resized;
  for (const QString& id : ids) {
    const int i = rowOf(id);
    if (i < 0) continue;
    Row& row = rows_[static_cast<size_t>(i)];
    Card card = make_card(document_.shown().scope(), row.node);  // a wire to a socket that is not there keeps its place
    if (row.card.has_sockets_of(card)) continue;
    row.card = std::move(card);
    tell(i, {InputsRole, OutputsRole, CardHeightRole});
    resized.append(id);
  }
  rewired_ += ids;
  Q_EMIT wiresChanged(ids);
  if (!resized.isEmpty()) Q_EMIT geometryChanged(resized);
}

void GraphModel::change_states(const QStringList& ids) {
  if (ids.isEmpty() && rewired_.isEmpty()) return;
  // A wire's look at its far end follows the near end's type.
  const QStringList affected = with_readers(ids + std::exchange(rewired_, {}));
  for (const QString& id : affected) {
    const int i = rowOf(id);
    if (i < 0) continue;
    QVector<int> roles;
    refresh_states(rows_[static_cast<size_t>(i)], &roles);
    tell(i, roles);
  }
  refresh_wrong_wires();
  Q_EMIT wireLooksTouched(affected);
}

void GraphModel::change_selection() {
  const QSet<QString> before = std::exchange(selected_, document_.selectedNodes());
  const QString active_before = std::exchange(active_, document_.activeNode());
  QSet<QString> changed = (before - selected_) + (selected_ - before);
  if (active_before != active_) changed << active_before << active_;
  for (const QString& id : changed) {
    if (const int row = rowOf(id); row >= 0) tell(row, {SelectedRole, ActiveRole});
  }
  const std::vector<Link> links_before = std::exchange(selectedLinks_, document_.selectedLinks());
  if (links_before == selectedLinks_) return;
  QStringList ends;
  for (const auto* links : {&links_before, &std::as_const(selectedLinks_)})
    for (const Link& link : *links) ends.append(to_q(link.to));
  Q_EMIT wireLooksTouched(ends);
}

void GraphModel::tell(int row, const QVector<int>& roles) {
  if (!roles.isEmpty()) Q_EMIT dataChanged(index(row), index(row), roles);
}

void GraphModel::refresh_wrong_wires() {
  const QVariantList wrong = wrong_wires(document_.shown().scope(), document_.validator());
  if (wrong == wrongWires_) return;
  wrongWires_ = wrong;
  Q_EMIT wrongWiresChanged();
}

}  // namespace hw::app
