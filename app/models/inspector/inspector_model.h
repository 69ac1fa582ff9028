// InspectorModel: the parameters of the active node, or those that all selected nodes have, as rows for editors; and
// the documentation of the active node's type.
#pragma once

#include <QAbstractListModel>
#include <QVariantList>
#include <optional>

#include "app/document/document.h"
#include "app/models/inspector/edited_nodes.h"

namespace hw::app {

/// Follows the document's active node. GUI thread.
class InspectorModel : public QAbstractListModel {
  Q_OBJECT
  Q_PROPERTY(QString node READ node NOTIFY nodeChanged)  // id; "" when nothing is selected
  Q_PROPERTY(bool known READ known NOTIFY nodeChanged)   // false: a type, or a group, that is not there
  Q_PROPERTY(bool isGroup READ isGroup NOTIFY nodeChanged)
  Q_PROPERTY(QString title READ title NOTIFY titleChanged)              // "5 nodes" of several
  Q_PROPERTY(QString activeTitle READ activeTitle NOTIFY titleChanged)  // of the active node
  Q_PROPERTY(QString typeTitle READ typeTitle NOTIFY nodeChanged)
  Q_PROPERTY(QString unknownText READ unknownText NOTIFY nodeChanged)  // where it is not known: what it is
  Q_PROPERTY(QString category READ category NOTIFY nodeChanged)
  Q_PROPERTY(QStringList docs READ docs NOTIFY docsChanged)
  /// {severity, code, reason} of the node.
  Q_PROPERTY(QVariantList problems READ problems NOTIFY problemsChanged)
  /// Whether the node has weights; then whether they are trained, whose they are, and whose they could be (node ids).
  Q_PROPERTY(bool hasWeights READ hasWeights NOTIFY nodeChanged)
  /// Some of them are running statistics.
  Q_PROPERTY(bool hasStatistics READ hasStatistics NOTIFY nodeChanged)
  Q_PROPERTY(bool frozen READ frozen NOTIFY weightsChanged)
  /// Whether all that are selected are so.
  Q_PROPERTY(bool bypassed READ bypassed NOTIFY weightsChanged)
  Q_PROPERTY(bool collapsed READ collapsed NOTIFY weightsChanged)
  Q_PROPERTY(QString tie READ tie NOTIFY weightsChanged)
  Q_PROPERTY(QStringList tieChoices READ tieChoices NOTIFY weightsChanged)
  /// "seed 7, stream 0x5f3a01c9, step 12 (fixed)": what the node draws from at the run's present step; "": nothing.
  Q_PROPERTY(QString draws READ draws NOTIFY drawsChanged)
  /// Whether the node lies in a group, of which its parameters can be made parameters.
  Q_PROPERTY(bool inGroup READ inGroup NOTIFY nodeChanged)
  Q_PROPERTY(int selectedCount READ selectedCount NOTIFY nodeChanged)
  /// Several nodes are edited together.
  Q_PROPERTY(bool several READ several NOTIFY nodeChanged)

 public:
  enum Role {
    ParamRole = Qt::UserRole + 1,
    LabelRole,
    DocRole,
    UnitRole,
    KindRole,  // "integer", "real", "boolean", "choice", "dtype", "path", "text", "vector"
    ValueRole,
    TextRole,  // the value as one types it
    IsDefaultRole,
    DefaultTextRole,
    MinRole,
    MaxRole,
    LogarithmicRole,
    ChoicesRole,
    FactsRole,  // of a dtype
    LiveRole,   // takes effect while training, without a new start
    ErrorRole,
    HeadingRole,   // above the first parameter of a group; ""
    StandInRole,   // what is shown in place of the value; ""
    AppliesRole,   // it counts, as the other parameters are
    PromotedRole,  // it is a parameter of the group that the node lies in
    MixedRole,     // the nodes have different values
  };

  explicit InspectorModel(Document& document, QObject* parent = nullptr);

  const QString& node() const { return node_; }
  bool known() const { return interface_.has_value(); }
  bool isGroup() const;
  QString title() const;
  QString activeTitle() const;
  bool several() const { return edited_.several(); }
  QString typeTitle() const;
  QString unknownText() const;
  QString category() const;
  QStringList docs() const;
  QVariantList problems() const;
  bool hasWeights() const;
  bool hasStatistics() const;
  bool frozen() const;
  bool bypassed() const;
  bool collapsed() const;
  QString tie() const;
  QStringList tieChoices() const;
  Q_INVOKABLE void setFrozen(bool frozen);
  /// Uses the weights of another node; "": its own.
  Q_INVOKABLE void setTie(const QString& owner);
  QString draws() const;
  /// Steps that the run has done.
  void setStep(uint64_t done);
  Q_INVOKABLE void copyDraws() const;
  int selectedCount() const { return static_cast<int>(document_.selection().nodes().size()); }

  /// Sets what the user typed. Returns why it cannot be, or "". Wrong input changes nothing.
  Q_INVOKABLE QString setText(const QString& param, const QString& text);
  /// What would be wrong with the parameter that the node's sockets follow, were this its text; "" : nothing.
  Q_INVOKABLE QString problemWith(const QString& param, const QString& text) const;
  /// Sets a value; `dragging` merges with the calls before, until endDrag(). Out of range is clamped.
  Q_INVOKABLE void setValue(const QString& param, const QVariant& value, bool dragging = false);
  Q_INVOKABLE void endDrag() { document_.endMerge(); }
  /// One up (1) or down (−1), as an arrow key does.
  Q_INVOKABLE void nudge(const QString& param, int direction);
  Q_INVOKABLE void resetParam(const QString& param);
  bool inGroup() const;
  /// Makes it a parameter of the group that the node lies in, or takes it off.
  Q_INVOKABLE void setPromoted(const QString& param, bool on);
  /// {id, label} of the group's parameters that could set this one, too: of its kind.
  Q_INVOKABLE QVariantList joinable(const QString& param) const;
  /// From now on one of them sets it.
  Q_INVOKABLE void join(const QString& param, const QString& with);
  Q_INVOKABLE void setLabel(const QString& label);
  /// `value` moved by `steps` drag steps, within the parameter's range: even steps, or ratios when logarithmic; to
  /// round values when it `snaps`.
  Q_INVOKABLE double scrubbed(const QString& param, double value, double steps, bool snaps = false) const;
  /// A chosen file as the parameter should name it: relative to the graph's folder when it lies there.
  Q_INVOKABLE QString pathFor(const QUrl& file) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QHash<int, QByteArray> roleNames() const override;

 Q_SIGNALS:
  void nodeChanged();
  void docsChanged();
  void titleChanged();
  void problemsChanged();
  void weightsChanged();
  void drawsChanged();

 private:
  /// The node with the values that instances around it give; nothing: none is selected.
  std::optional<Node> now() const;
  void follow(bool always);
  void refreshValues();
  QString errorOf(const std::string& param) const;
  Document& document_;
  EditedNodes edited_{document_};
  mutable std::optional<QStringList> tieChoices_;  // once asked for, until weightsChanged()
  QString node_;
  const NodeType* type_ = nullptr;        // null: of a group, or not known
  std::optional<Declaration> interface_;  // nothing: not known
  uint64_t step_ = 0;                     // done
};

}  // namespace hw::app
