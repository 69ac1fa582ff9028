// What a node's card shows, and where: sockets, a few parameters, sizes. Canvas units, on a grid of 4.
#pragma once

#include <QPointF>
#include <QSizeF>
#include <QVariantList>

#include "app/document/text.h"
#include "engine/graph/check/validate.h"
#include "engine/graph/groups/scope.h"

namespace hw::app {

/// The one set of measures that cards, wires and hit tests share.
struct CardMetrics {
  static constexpr double width = 216, header = 32, pad = 8, socket_row = 24, param_row = 32;
  static constexpr double dot = 16;       // a reroute
  static constexpr double preview = 112;  // of a picture, above the parameters
  static constexpr double gap = 40;       // between cards that are placed side by side
  static constexpr int max_params = 4;
};

/// A socket as it stands on a card.
struct CardSocket {
  std::string id;
  const SocketDecl* decl = nullptr;  // null on a placeholder: the socket is known from a link only
};

/// The static part of a card: changes with the node's type and flags, for placeholders with its links, and where
/// sockets follow parameters with both.
struct Card {
  const NodeType* type = nullptr;          // null: a placeholder
  std::optional<Declaration> declaration;  // what the sockets point into
  std::vector<CardSocket> inputs, outputs;
  std::vector<const ParamDecl*> params;  // those edited on the card
  bool collapsed = false;
  double preview_top = -1;  // where its preview begins; −1: it has none
  bool dot = false;         // a reroute: no card, wires end at its sides
  QSizeF size;

  /// Whether the two have the same sockets, in the same places.
  bool has_sockets_of(const Card& other) const;
  /// Where a wire ends, from the card's top left. Unknown sockets: the middle of the header's edge.
  QPointF anchor(std::string_view socket, bool is_output) const;
};

/// The sockets and parameters of a node, which may be an instance of a group; nothing: its type, or group, is not
/// there.
std::optional<Declaration> interface_in(const Graph& document, const Node& node);

/// The card of a node of the graph at `scope`.
Card make_card(const Scope& scope, const Node& node);
/// A parameter of a node as its card and the inspector show it: that of its params, or the card's default.
ParamValue value_on(const Declaration& declaration, const Node& node, std::string_view param);

/// What a socket carries or takes while no wire says so, as far as the declaration and the other wires settle it: the
/// kind, and for tensors the dtype. The shape is left empty.
std::optional<WireType> expected_type(const Scope& scope, const Validator& validator, const Node& node,
                                      const SocketDecl& socket);
/// The type of an output; while it cannot be known, what its declaration settles.
std::optional<WireType> output_look(const Scope& scope, const Validator& validator, const Node& node,
                                    std::string_view output);
/// The theme token of a wire's colour; "dtypeAny" when nothing is known.
QString colour_token(const std::optional<WireType>& type);
/// Two letters for a socket; empty when nothing is known.
QString socket_code(const std::optional<WireType>& type);

/// What QML lists: {id, label, doc, optional, offset} a socket, {id, label, doc, unit, kind, choices} a parameter.
QVariantList describe_sockets(const Card& card, bool outputs);
QVariantList describe_params(const Card& card);
/// What changes as people wire: {code, token, type, dtype ("" when it is no tensor), linked, error, field} a socket, in
/// the order of the card.
QVariantList socket_states(const Scope& scope, const Validator& validator, const Node& node, const Card& card,
                           bool outputs);
/// What a socket in one of these states carries or takes, and its documentation; for a tip.
QString socket_text(const CardSocket& socket, const QVariantMap& state);

}  // namespace hw::app
