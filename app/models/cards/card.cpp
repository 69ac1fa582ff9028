#include "app/models/cards/card.h"

#include <algorithm>
#include <cmath>

#include "app/models/text/node_docs.h"
#include "engine/graph/groups/group_interface.h"

namespace hw::app {
namespace {

using Type = ParamDecl::Type;

bool editable_on_card(const ParamDecl& param) {
  if (!param.group.empty()) return false;
  return param.type == Type::integer || param.type == Type::real || param.type == Type::boolean ||
         param.type == Type::choice || param.type == Type::dtype;
}

/// The first parameters, with room kept for the storage dtype: it is what users come to change.
std::vector<const ParamDecl*> params_on_card(const NodeDecl& decl) {
  std::vector<const ParamDecl*> shown;
  for (const ParamDecl& p : decl.params()) {
    if (editable_on_card(p)) shown.push_back(&p);
  }
  if (shown.size() <= CardMetrics::max_params) return shown;
  const auto first_dtype =
      std::find_if(shown.begin(), shown.end(), [](const ParamDecl* p) { return p->type == Type::dtype; });
  const ParamDecl* dtype = first_dtype == shown.end() ? nullptr : *first_dtype;
  shown.resize(CardMetrics::max_params);
  if (dtype && std::find(shown.begin(), shown.end(), dtype) == shown.end()) shown.back() = dtype;
  return shown;
}

QString words(std::string_view id) {
  return sentence(id).replace('_', ' ');
}

std::vector<CardSocket> declared(const std::vector<SocketDecl>& sockets) {
  std::vector<CardSocket> out;
  for (const SocketDecl& s : sockets) out.push_back({s.id, &s});
  return out;
}

void add_once(std::vector<CardSocket>& sockets, const std::string& id) {
  for (const CardSocket& s : sockets) {
    if (s.id == id) return;
  }
  sockets.push_back({id, nullptr});
}

std::optional<WireType> source_type(const Scope& scope, const Validator& validator, const Node& node,
                                    std::string_view input) {
  const std::vector<Link> links = scope.graph->links_into(node.id, input);
  if (links.empty()) return std::nullopt;
  return validator.output_type(scope.prefix + links.front().from, links.front().from_socket);
}

/// A type that only the declaration gives has no shape to show.
QString type_text(const std::optional<WireType>& type) {
  if (!type) return {};
  const bool bare = type->kind == Kind::tensor && type->shape.rank() == 0;
  return to_q(bare ? std::string(name(type->dtype)) : to_string(*type));
}

QVariantMap state_of(const std::optional<WireType>& type, bool linked, const QString& error) {
  return {{"code", socket_code(type)},
          {"token", colour_token(type)},
          {"type", type_text(type)},
          {"dtype", type && type->kind == Kind::tensor ? to_q(name(type->dtype)) : QString()},
          {"linked", linked},
          {"error", error},
          {"field", type && type->field}};
}

}  // namespace

Card make_card(const Scope& scope, const Node& node) {
  using M = CardMetrics;
  const Graph& graph = *scope.graph;
  Card card;
  card.type = Registry::instance().find(node.type);
  card.collapsed = node.collapsed;
  if (card.type) {
    const Declaration& declaration = card.declaration.emplace(card.type->declared(node.params));
    card.inputs = declared(declaration->inputs());
    card.outputs = declared(declaration->outputs());
    card.params = params_on_card(card.type->decl);
  }
  const auto group_id = group_of(node);
  if (const Group* group = group_id ? scope.document->find_group(*group_id) : nullptr) {
    const Declaration& declaration = card.declaration.emplace(interface_of(*scope.document, *group));
    card.inputs = declared(declaration->inputs());
    card.outputs = declared(declaration->outputs());
    card.params = params_on_card(*declaration);
  }
  // A wire to a socket this version does not know keeps its place.
  for (const Link& link : graph.links_into(node.id)) add_once(card.inputs, link.to_socket);
  for (const Link& link : graph.links_from(node.id)) add_once(card.outputs, link.from_socket);

  if (node.type == kRerouteType) {
    card.dot = true;
    card.collapsed = false;
    card.size = QSizeF(M::dot, M::dot);
    return card;
  }
  double height = M::header;
  if (!card.collapsed) {
    const auto rows = static_cast<double>(std::max(card.inputs.size(), card.outputs.size()));
    const auto params = static_cast<double>(card.params.size());
    height += M::pad + rows * M::socket_row;
    if (shows_preview(node)) {
      card.preview_top = height;
      height += M::preview + M::pad;
    }
    height += params * M::param_row + M::pad;
  }
  card.size = QSizeF(M::width, height);
  return card;
}

bool Card::has_sockets_of(const Card& other) const {
  const auto same = [](const std::vector<CardSocket>& a, const std::vector<CardSocket>& b) {
    return std::ranges::equal(a, b, {}, &CardSocket::id, &CardSocket::id);
  };
  return same(inputs, other.inputs) && same(outputs, other.outputs) && size == other.size;
}

std::optional<Declaration> interface_in(const Graph& document, const Node& node) {
  if (const NodeType* type = Registry::instance().find(node.type)) return Declaration(&type->decl);
  const auto id = group_of(node);
  const Group* group = id ? document.find_group(*id) : nullptr;
  return group ? std::optional(Declaration(interface_of(document, *group))) : std::nullopt;
}

ParamValue value_on(const Declaration& declaration, const Node& node, std::string_view param) {
  const auto own = node.params.find(param);
  return own == node.params.end() ? declaration->find_param(param)->value : own->second;
}

QPointF Card::anchor(std::string_view socket, bool is_output) const {
  using M = CardMetrics;
  const double x = is_output ? size.width() : 0;
  const std::vector<CardSocket>& list = is_output ? outputs : inputs;
  if (dot) return {x, size.height() / 2};
  for (size_t i = 0; i < list.size() && !collapsed; ++i) {
    if (list[i].id == socket) return {x, M::header + M::pad + (static_cast<double>(i) + 0.5) * M::socket_row};
  }
  return {x, M::header / 2};
}

std::optional<WireType> expected_type(const Scope& scope, const Validator& validator, const Node& node,
                                      const SocketDecl& socket) {
  WireType type;
  type.kind = socket.kind;
  if (socket.kind != Kind::tensor) return type;
  const NodeType* node_type = Registry::instance().find(node.type);
  const DTypeRule& rule = socket.dtype;
  if (rule.kind == DTypeRule::Kind::parameter) {
    const ParamValue value = param_value(node, rule.name);
    const std::string* name = std::get_if<std::string>(&value);
    if (const auto dtype = name ? dtype_from_name(*name) : std::nullopt) return type.dtype = *dtype, type;
  }
  if (rule.kind == DTypeRule::Kind::group && node_type) {
    const Declaration declaration = node_type->declared(node.params);
    for (const SocketDecl& other : declaration->inputs()) {
      if (other.id == socket.id || other.dtype.kind != rule.kind || other.dtype.name != rule.name) continue;
      if (const auto wire = source_type(scope, validator, node, other.id)) return type.dtype = wire->dtype, type;
    }
  }
  if (rule.dtypes.size() == 1) return type.dtype = rule.dtypes.front(), type;
  return std::nullopt;
}

std::optional<WireType> output_look(const Scope& scope, const Validator& validator, const Node& node,
                                    std::string_view output) {
  if (auto type = validator.output_type(scope.prefix + node.id, output)) return type;
  const NodeType* type = Registry::instance().find(node.type);
  const Declaration declaration = type ? type->declared(node.params) : Declaration();
  const SocketDecl* decl = declaration->find_output(output);
  return decl ? expected_type(scope, validator, node, *decl) : std::nullopt;
}

QString colour_token(const std::optional<WireType>& type) {
  if (!type) return QStringLiteral("dtypeAny");
  if (type->kind != Kind::tensor) return QStringLiteral("dtypeMesh");
  return to_q(info(type->dtype).colour_token);
}

QString socket_code(const std::optional<WireType>& type) {
  if (!type) return {};
  if (type->kind == Kind::mesh) return QStringLiteral("ME");
  if (type->kind == Kind::image) return QStringLiteral("IM");
  if (type->kind == Kind::dataset) return QStringLiteral("DS");
  return to_q(info(type->dtype).code);
}

QVariantList describe_sockets(const Card& card, bool outputs) {
  QVariantList list;
  for (const CardSocket& s : outputs ? card.outputs : card.inputs) {
    list.append(QVariantMap{{"id", to_q(s.id)},
                            {"label", s.decl ? to_q(s.decl->label) : words(s.id)},
                            {"doc", s.decl ? to_q(s.decl->doc) : QString()},
                            {"optional", s.decl && s.decl->optional},
                            {"offset", card.anchor(s.id, outputs).y()}});
  }
  return list;
}

QVariantList describe_params(const Card& card) {
  QVariantList list;
  for (const ParamDecl* p : card.params) {
    QStringList choices;
    for (const std::string& c : p->choices) choices.append(to_q(c));
    list.append(QVariantMap{{"id", to_q(p->id)},
                            {"label", to_q(p->label)},
                            {"doc", to_q(p->doc)},
                            {"unit", to_q(p->unit)},
                            {"kind", to_q(name(p->type))},
                            {"choices", choices}});
  }
  return list;
}

QVariantList socket_states(const Scope& scope, const Validator& validator, const Node& node, const Card& card,
                           bool outputs) {
  const Graph& graph = *scope.graph;
  const std::string path = scope.prefix + node.id;
  QVariantList list;
  for (const CardSocket& s : outputs ? card.outputs : card.inputs) {
    if (outputs) {
      list.append(state_of(output_look(scope, validator, node, s.id), !graph.links_from(node.id, s.id).empty(), {}));
      continue;
    }
    const std::vector<Link> links = graph.links_into(node.id, s.id);
    QString error;
    const bool is_group = group_of(node).has_value();  // its sockets are nodes in it
    for (const Diagnostic& d : validator.of(is_group ? path + "/" + s.id : path)) {
      if ((is_group || d.socket == s.id) && d.severity == Severity::error) error = to_q(d.reason);
    }
    const Node* source = links.empty() ? nullptr : graph.find(links.front().from);
    std::optional<WireType> type;
    if (source) type = output_look(scope, validator, *source, links.front().from_socket);
    // A wrong wire keeps its own colour; the socket shows what it wants.
    if (s.decl && (!type || !error.isEmpty())) {
      if (const auto wanted = expected_type(scope, validator, node, *s.decl)) type = wanted;
    }
    list.append(state_of(type, !links.empty(), error));
  }
  return list;
}

QString socket_text(const CardSocket& socket, const QVariantMap& state) {
  QStringList lines;
  if (const QString type = state["type"].toString(); !type.isEmpty()) lines << type;
  if (const QString facts = dtype_facts(state["dtype"].toString().toStdString()); !facts.isEmpty()) lines << facts;
  if (const QString error = state["error"].toString(); !error.isEmpty()) lines << error;
  if (socket.decl && !socket.decl->doc.empty()) lines << to_q(socket.decl->doc);
  return lines.isEmpty() ? to_q(socket.id) : lines.join(QLatin1Char('\n'));
}

}  // namespace hw::app
