// NodeRow: a node as the canvas shows it, and which of its roles a change touches.
#pragma once

#include <QRectF>
#include <QVariant>

#include "app/document/document.h"
#include "app/models/cards/card.h"

namespace hw::app {

/// A node of the graph that a document shows. GUI thread.
class NodeRow {
 public:
  enum Role {
    NodeIdRole = Qt::UserRole + 1,
    TypeRole,
    TitleRole,
    CategoryRole,
    SummaryRole,
    PosXRole,
    PosYRole,
    CardWidthRole,
    CardHeightRole,
    InputsRole,  // describe_sockets
    OutputsRole,
    InputStatesRole,  // socket_states
    OutputStatesRole,
    CardParamsRole,   // describe_params
    ParamValuesRole,  // id → value
    SelectedRole,
    ActiveRole,
    StatusRole,       // NodeVerdict::status
    StatusTextRole,   // NodeVerdict::text
    RandomRole,       // draws random numbers
    RandomFixedRole,  // of a seed, step or stream that is not the run's or its own
    RandomTextRole,   // "Draws from the run's seed, stream 0x5f3a01c9, step 12 (fixed)"
    TimeRole,         // of a step, as text; empty: not known
    BypassedRole,
    FrozenRole,
    PassesRole,  // PassMarks::texts; "": it is computed as it is
    TieRole,     // id of the node whose weights it uses
    DeviceRole,  // id of its own device; "": the graph's
    CollapsedRole,
    PreviewTopRole,   // Card::preview_top
    DotRole,          // Card::dot
    IsGroupRole,      // an instance whose definition is there
    InstrumentsRole,  // InstrumentsModel::of
    HeatRole,         // HeatMapModel::of
    PreviewRole,      // NodePreviews::of
    FactsRole,        // CardFacts::of
  };

  NodeRow(const Document& document, const Node& node);

  const QString& id() const { return id_; }
  /// As runs and checks name it.
  const QString& path() const { return path_; }
  const Node& node() const { return node_; }
  const Card& card() const { return card_; }
  bool isWrong() const { return status_ == QLatin1String("error"); }
  QRectF rect() const { return {QPointF(node_.x, node_.y), card_.size}; }
  /// Data of the node itself; nothing for other roles.
  QVariant data(const Document& document, int role) const;
  /// The socket_states of its inputs, or outputs.
  const QVariantList& states(const Document& document, bool outputs) const;

  // Each returns the roles that changed.
  /// The node has changed.
  QVector<int> follow(const Document& document, const Node& now);
  /// Wires into or from it have changed.
  QVector<int> follow_wires(const Document& document);
  /// Types or diagnostics have changed. `findings`: what the validator does not see.
  QVector<int> refresh(const Document& document, const std::vector<Diagnostic>& findings);

 private:
  QString id_, path_;
  Node node_;  // with the values that instances around it give
  Card card_;
  mutable std::optional<QVariantList> inputs_, outputs_;  // once asked for
  QString status_, status_text_;
};

}  // namespace hw::app
