// GraphModel: the nodes and wires of a Document for QML. It holds no rules.
#pragma once

#include <QAbstractListModel>
#include <QPointF>
#include <QRectF>
#include <QSet>

#include "app/document/document.h"
#include "app/models/cards/card.h"
#include "app/models/compare/comparison.h"
#include "app/models/graph/arrangement.h"
#include "app/models/graph/frames.h"
#include "app/models/graph/graph_clipboard.h"
#include "app/models/graph/graph_edits.h"
#include "app/models/graph/graph_find.h"
#include "app/models/graph/groups.h"
#include "app/models/graph/node_row.h"
#include "app/models/graph/row_refresher.h"

namespace hw::app {

class CardFacts;
class DeviceModel;
class HeatMapModel;
class InstrumentsModel;
class NodePreviews;

/// One row a node, in order of creation. dataChanged names the roles that changed. Lives on the GUI thread; the
/// Document must outlive it.
class GraphModel : public QAbstractListModel {
  Q_OBJECT
  Q_PROPERTY(int count READ count NOTIFY countChanged)
  /// Wires drawn red: wrong_wires.
  Q_PROPERTY(QVariantList wrongWires READ wrongWires NOTIFY wrongWiresChanged)
  /// What changes the document that is shown here.
  Q_PROPERTY(hw::app::Document* document READ documentItself CONSTANT)
  Q_PROPERTY(hw::app::GraphEdits* edits READ edits CONSTANT)
  Q_PROPERTY(hw::app::GraphClipboard* clipboard READ clipboard CONSTANT)
  Q_PROPERTY(hw::app::Groups* groups READ groups CONSTANT)
  Q_PROPERTY(hw::app::Frames* frames READ frames CONSTANT)
  Q_PROPERTY(hw::app::Arrangement* arrangement READ arrangement CONSTANT)
  Q_PROPERTY(hw::app::GraphFind* find READ find CONSTANT)
  Q_PROPERTY(hw::app::Comparison* comparison READ comparison CONSTANT)

 public:
  using Role = NodeRow::Role;
  using enum NodeRow::Role;

  explicit GraphModel(Document& document, QObject* parent = nullptr);

  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QHash<int, QByteArray> roleNames() const override;
  int count() const { return static_cast<int>(rows_.size()); }

  // For the canvas items.
  Document& document() const { return document_; }
  Document* documentItself() const { return &document_; }
  GraphEdits* edits() { return &edits_; }
  GraphClipboard* clipboard() { return &clipboard_; }
  Groups* groups() { return &groups_; }
  Frames* frames() { return &frames_; }
  Arrangement* arrangement() { return &arrangement_; }
  GraphFind* find() { return &find_; }
  Comparison* comparison() { return &comparison_; }
  const Comparison* comparison() const { return &comparison_; }
  const Card* card(const QString& id) const;
  const Card& cardAt(int row) const { return rows_[static_cast<size_t>(row)].card(); }
  const QString& idAt(int row) const { return rows_[static_cast<size_t>(row)].id(); }
  bool isSelectedAt(int row) const { return selected_.contains(idAt(row)); }
  bool isWrongAt(int row) const { return rows_[static_cast<size_t>(row)].isWrong(); }
  QRectF rectAt(int row) const;
  Q_INVOKABLE int rowOf(const QString& id) const { return index_.value(id, -1); }
  Q_INVOKABLE QRectF nodeRect(const QString& id) const;
  Q_INVOKABLE bool hasOutputs(const QString& id) const { return card(id) && !card(id)->outputs.empty(); }
  /// Canvas position of a socket.
  QPointF anchor(std::string_view node, std::string_view socket, bool isOutput) const;
  /// Why this wire would be red; empty when it fits.
  QString whyNot(const Link& link) const;

  /// Milliseconds a step by the path of a node, from the run.
  void setNodeMs(const QVariantMap& ms);
  /// Gauges and marks come from here; it outlives the model.
  void setInstruments(InstrumentsModel* instruments);
  /// What cards show of outputs comes from here, and what is known of their nodes; both outlive the model.
  void setPreviews(NodePreviews* previews, CardFacts* facts);
  /// The nodes whose previews are in view.
  void lookAt(const QStringList& ids);
  /// What wires between devices cost comes from here; it outlives the model.
  void setDevices(const DeviceModel* devices) { devices_ = devices; }
  /// What a wire carries, what it costs where its ends run on different devices, and what the heat map says; for a tip.
  QString wireText(const Link& link) const;
  /// Colours come from here while it is on; it outlives the model.
  void setHeatMap(HeatMapModel* map);
  /// Null while wires show their dtypes; else what colours them.
  const HeatMapModel* heatMap() const;
  /// Marks the cards of nodes that passes change, by id, with the text to show.
  void setPasses(const QHash<QString, QString>& texts);
  /// What the validator does not see, such as files that are not there; marks the cards beside what it says.
  void setFindings(const std::vector<Diagnostic>& problems);
  const QVariantList& wrongWires() const { return wrongWires_; }
  /// The theme token of a dtype's colour, by its name.
  Q_INVOKABLE QString dtypeToken(const QString& name) const;
  /// For a tip: socket_text.
  Q_INVOKABLE QString socketText(const QString& node, const QString& socket, bool isOutput) const;

 Q_SIGNALS:
  void countChanged();
  void nodeMsChanged();
  void wrongWiresChanged();
  /// Positions or sizes of these nodes changed.
  void geometryChanged(const QStringList& ids);
  /// All wires have been replaced.
  void wiresReset();
  /// Wires at these nodes came or went; wireLooksTouched follows.
  void wiresChanged(const QStringList& nodes);
  /// Wires kept their places but may look otherwise: all of them, or those at these nodes.
  void wireLooksChanged();
  void wireLooksTouched(const QStringList& nodes);

 private:
  void reload();  // ends a reset
  /// The time of an instance is that of the nodes in it together.
  double ms_of(const NodeRow& row) const;
  /// These nodes, and those that wires from them lead to.
  QStringList with_readers(const QStringList& ids) const;
  void add_rows(const QStringList& ids);
  void remove_rows(const QStringList& ids);
  void change_rows(const QStringList& ids);
  void change_states(const QStringList& ids);
  void change_links(const QStringList& ids);
  void change_selection();
  void notify_row(int row, const QVector<int>& roles);
  void rebuild_index();
  void refresh_wrong_wires();

  Document& document_;
  GraphEdits edits_{document_};
  GraphClipboard clipboard_{document_};
  Groups groups_{document_};
  Frames frames_{document_};
  Arrangement arrangement_{document_};
  GraphFind find_{document_};
  Comparison comparison_{document_};
  std::vector<NodeRow> rows_;
  QHash<QString, int> index_;
  QSet<QString> selected_;
  std::vector<Link> selectedLinks_;
  QStringList rewired_;  // their states are updated with those of the validation that follows
  QSet<QString> fresh_;  // rows of these edits: what they show is up to date
  QString active_;
  QVariantMap nodeMs_;
  QHash<QString, QString> passes_;
  InstrumentsModel* instruments_ = nullptr;
  HeatMapModel* heat_map_ = nullptr;
  NodePreviews* previews_ = nullptr;
  CardFacts* facts_ = nullptr;
  const DeviceModel* devices_ = nullptr;
  RowRefresher gaugeRows_{[this] { return count(); },
                          [this](int row) {
                            notify_row(row, {InstrumentsRole, HeatRole});
                          }};
  RowRefresher factRows_{[this] { return count(); }, [this](int row) { notify_row(row, {FactsRole}); }};
  std::vector<Diagnostic> findings_;
  QVariantList wrongWires_;
};

}  // namespace hw::app
