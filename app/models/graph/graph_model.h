// GraphModel: the nodes of a Document as QML sees them, and the gestures that become its edits. No rules here.
#pragma once

#include <QAbstractListModel>
#include <QPointF>
#include <QRectF>
#include <QSet>
#include <QTimer>

#include "app/document/document.h"
#include "app/models/cards/card.h"

namespace hw::app {

class DeviceModel;
class HeatMapModel;
class InstrumentsModel;

/// One row a node, in order of creation. Changes are told role by role. Lives on the GUI thread; the Document must
/// outlive it.
class GraphModel : public QAbstractListModel {
  Q_OBJECT
  Q_PROPERTY(int count READ count NOTIFY countChanged)
  /// Milliseconds a step by node id, from the run.
  Q_PROPERTY(QVariantMap nodeMs READ nodeMs WRITE setNodeMs NOTIFY nodeMsChanged)
  /// Wires drawn red: {from, fromSocket, to, toSocket, code, reason, remedies (labels)}.
  Q_PROPERTY(QVariantList wrongWires READ wrongWires NOTIFY wrongWiresChanged)
  /// Of all node types, sorted.
  Q_PROPERTY(QStringList categories READ categories CONSTANT)

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
    StatusRole,       // "ok", "warning", "error", "unknown" (a placeholder)
    StatusTextRole,   // the first reason
    RandomRole,       // draws random numbers
    RandomFixedRole,  // of a seed, step or stream that is not the run's or its own
    RandomTextRole,   // "Draws from the run's seed, stream 0x5f3a01c9, step 12 (fixed)"
    MsRole,           // 0: not known
    BypassedRole,
    FrozenRole,
    TieRole,     // id of the node whose weights it uses
    DeviceRole,  // id of its own device; "": the graph's
    CollapsedRole,
    InstrumentsRole,  // InstrumentsModel::of
    HeatRole,         // HeatMapModel::of
  };

  explicit GraphModel(Document& document, QObject* parent = nullptr);

  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QHash<int, QByteArray> roleNames() const override;
  int count() const { return static_cast<int>(rows_.size()); }

  // For the canvas items.
  Document& document() const { return document_; }
  const Card* card(const QString& id) const;
  const Card& cardAt(int row) const { return rows_[static_cast<size_t>(row)].card; }
  const QString& idAt(int row) const { return rows_[static_cast<size_t>(row)].id; }
  QRectF rectAt(int row) const;
  Q_INVOKABLE int rowOf(const QString& id) const { return index_.value(id, -1); }
  Q_INVOKABLE QRectF nodeRect(const QString& id) const;
  /// Canvas position of a socket.
  QPointF anchor(std::string_view node, std::string_view socket, bool isOutput) const;
  /// Why this wire would be red; empty when it fits.
  QString whyNot(const Link& link) const;

  const QVariantMap& nodeMs() const { return nodeMs_; }
  void setNodeMs(const QVariantMap& ms);
  /// Gauges and marks come from here; it outlives the model.
  void setInstruments(InstrumentsModel* instruments);
  /// What wires between devices cost comes from here; it outlives the model.
  void setDevices(const DeviceModel* devices) { devices_ = devices; }
  /// What a wire carries, what it costs where its ends run on different devices, and what the heat map says; for a tip.
  QString wireText(const Link& link) const;
  /// Colours come from here while it is on; it outlives the model.
  void setHeatMap(HeatMapModel* map);
  /// Null while wires show their dtypes; else what colours them.
  const HeatMapModel* heatMap() const;
  /// What the validator does not see, such as files that are not there; marks the cards beside what it says.
  void setFindings(const std::vector<Diagnostic>& problems);
  const QVariantList& wrongWires() const { return wrongWires_; }
  QStringList categories() const;
  /// The theme token of a dtype's colour, by its name.
  Q_INVOKABLE QString dtypeToken(const QString& name) const;
  /// What a socket carries or takes, and its documentation; for a tip.
  Q_INVOKABLE QString socketText(const QString& node, const QString& socket, bool isOutput) const;

  // Gestures. Each is one undo step; those that add return the new node's id, or "" when refused.
  /// New top lefts by id. Calls in a row merge until endGesture().
  void moveNodes(const QHash<QString, QPointF>& positions);
  Q_INVOKABLE void nudgeSelection(double dx, double dy);
  Q_INVOKABLE void endGesture() { document_.endMerge(); }
  Q_INVOKABLE QString addNode(const QString& type, double x, double y);
  /// Adds and wires to `socket` of `node` by the first socket that fits; that socket comes to lie at (x, y).
  Q_INVOKABLE QString addNodeLinked(const QString& type, const QString& node, const QString& socket, bool isOutput,
                                    double x, double y);
  /// Adds a node into a wire, where it fits on both sides.
  bool insertIntoLink(const QString& node, const Link& link);
  Q_INVOKABLE void connectSockets(const QString& from, const QString& fromSocket, const QString& to,
                                  const QString& toSocket);
  Q_INVOKABLE void detach(const QString& from, const QString& fromSocket, const QString& to, const QString& toSocket);
  /// Takes `old` away and adds the new ones, as one step.
  void rewire(const std::vector<Link>& old, const std::vector<Link>& added);
  Q_INVOKABLE void removeLinks(const std::vector<hw::Link>& links);
  /// `merge`: while a slider is dragged; endGesture() after.
  Q_INVOKABLE bool setParam(const QString& node, const QString& param, const QVariant& value, bool merge = false);
  /// To `from` moved by `steps` drag steps within the range; merges like a slider.
  Q_INVOKABLE void scrubParam(const QString& node, const QString& param, double from, double steps);
  /// One up (1) or down (−1), as an arrow key does.
  Q_INVOKABLE void nudgeParam(const QString& node, const QString& param, int direction);
  Q_INVOKABLE void toggleBypass();
  Q_INVOKABLE void toggleCollapse();
  Q_INVOKABLE void applyRemedy(const QString& from, const QString& fromSocket, const QString& to,
                               const QString& toSocket, int remedy = 0);
  /// Shows the node's first output: adds a fitting view node beside it.
  Q_INVOKABLE QString viewOutput(const QString& node);
  Q_INVOKABLE void duplicateSelection();
  Q_INVOKABLE void copySelection() const;
  Q_INVOKABLE void cutSelection();
  /// The clipboard's nodes with their middle at (x, y); `withIncoming` also restores wires from nodes that are still
  /// there.
  Q_INVOKABLE void paste(double x, double y, bool withIncoming = false);
  Q_INVOKABLE void deleteSelection() { document_.deleteSelection(); }

 signals:
  void countChanged();
  void nodeMsChanged();
  void wrongWiresChanged();
  /// Positions or sizes of these nodes changed.
  void geometryChanged(const QStringList& ids);
  /// Wires came or went.
  void wiresChanged();
  /// Wires kept their places but changed type, validity or selection.
  void wireLooksChanged();

 private:
  struct Row {
    QString id;
    Node node;  // as last told to QML
    Card card;
    QVariantList inputs, outputs;
    QString status, statusText;
  };
  void reload();
  Row make_row(const Node& node) const;
  void refresh_states(Row& row, QVector<int>* changed) const;
  void add_rows(const QStringList& ids);
  void remove_rows(const QStringList& ids);
  void change_rows(const QStringList& ids);
  void change_states(const QStringList& ids);
  void change_links();
  void change_selection();
  void tell(int row, const QVector<int>& roles);
  /// A few cards a frame, in turn: new readings come for all of them at once.
  void tell_stale_gauges();
  void gauges_are_stale();
  void rebuild_index();
  void refresh_wrong_wires();
  void add_copies(const QString& text, const Graph& source, QPointF offset, bool with_incoming);
  Graph selected_part(bool with_incoming) const;

  Document& document_;
  std::vector<Row> rows_;
  QHash<QString, int> index_;
  QSet<QString> selected_;
  QString active_;
  QVariantMap nodeMs_;
  InstrumentsModel* instruments_ = nullptr;
  HeatMapModel* heat_map_ = nullptr;
  const DeviceModel* devices_ = nullptr;
  QTimer staleGauges_{this};
  int stale_ = 0;       // cards whose gauges are out of date,
  int nextGauge_ = -1;  // after this row
  std::vector<Diagnostic> findings_;
  QVariantList wrongWires_;
};

}  // namespace hw::app
