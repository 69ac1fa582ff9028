// GraphEdits: gestures turned into edits of a Document. The engine decides what is valid.
#pragma once

#include <QHash>
#include <QObject>
#include <QPointF>
#include <QVariant>

#include "app/document/document.h"
#include "app/models/palette/library.h"
#include "app/models/palette/placeable.h"
#include "engine/graph/groups/reroute.h"

namespace hw::app {

/// Each is one undo step; those that add return the new node's id, or "" when refused. GUI thread; the Document must
/// outlive it.
class GraphEdits : public QObject {
  Q_OBJECT

 public:
  explicit GraphEdits(Document& document, QObject* parent = nullptr) : QObject(parent), document_(document) {}

  /// Whose blocks can be added; it outlives this. Without one there are none.
  void setLibrary(Library* library) { library_ = library; }
  Q_INVOKABLE hw::app::Library* library() const { return library_; }
  /// All that can be added, in the order of the palette.
  std::vector<Placeable> placeables() const;

  /// New top lefts by id, of nodes and of frames. Calls in a row merge until endGesture().
  void moveNodes(const QHash<QString, QPointF>& positions, const QHash<QString, QPointF>& frames = {});
  Q_INVOKABLE void nudgeSelection(double dx, double dy);
  Q_INVOKABLE void endGesture() { document_.endMerge(); }
  /// `type`, here and below: the key of a Placeable.
  Q_INVOKABLE QString addNode(const QString& type, double x, double y);
  /// Adds and wires to `socket` of `node` by the first socket that fits, or through a Cast by the first that then fits;
  /// the end of the wire comes to lie at (x, y).
  Q_INVOKABLE QString addNodeLinked(const QString& type, const QString& node, const QString& socket, bool isOutput,
                                    double x, double y);
  /// Leads a wire through a node that is there, where it fits; what is in the way moves right.
  bool insertIntoLink(const QString& node, const Link& link);
  /// The same with a new node, which comes to lie around (x, y) on the wire.
  QString addNodeIntoLink(const QString& type, const Link& link, double x, double y);
  /// Replaces the selected nodes by nodes of this type; wires that fit nowhere are reported.
  Q_INVOKABLE void replaceSelection(const QString& type);
  /// Takes `old` away and adds the new ones, as one step.
  void rewire(const std::vector<Link>& old, const std::vector<Link>& added);
  /// hw::add_reroutes; selects them.
  void reroute(const std::vector<CrossedLink>& crossed);
  void removeLinks(const std::vector<Link>& links);
  /// `merge`: while a slider is dragged; endGesture() after.
  Q_INVOKABLE bool setParam(const QString& node, const QString& param, const QVariant& value, bool merge = false);
  /// The same of a node by its path, which may lie in a group: the group's definition, or the instance that gives it.
  Q_INVOKABLE bool setParamAt(const QString& path, const QString& param, const QVariant& value);
  /// To `from` moved by `steps` drag steps within the range, to a round value when it `snaps`; merges like a slider.
  Q_INVOKABLE void scrubParam(const QString& node, const QString& param, double from, double steps, bool snaps);
  /// One up (1) or down (−1), as an arrow key does.
  Q_INVOKABLE void nudgeParam(const QString& node, const QString& param, int direction);
  /// See rename_node.
  Q_INVOKABLE void rename(const QString& node, const QString& label);
  Q_INVOKABLE void toggleBypass();
  Q_INVOKABLE void toggleCollapse();
  /// The cards of the selected nodes show their outputs, or not.
  Q_INVOKABLE void togglePreview();
  Q_INVOKABLE void applyRemedy(const QString& from, const QString& fromSocket, const QString& to,
                               const QString& toSocket, int remedy = 0);
  /// Shows the node's first output: adds a fitting view node beside it.
  Q_INVOKABLE QString viewOutput(const QString& node);

 private:
  struct Param;
  /// A parameter of a node of the graph at `scope`, or of an instance there; nothing: there is none.
  std::optional<Param> param_of(const Scope& scope, const Node* node, const QString& param) const;
  /// The edits that give it this value; nothing: it cannot have it, which is reported.
  std::optional<SetParam> setting(const Param& param, const QVariant& value);
  void allow_chosen(const Param& param, const SetParam& set);
  std::optional<Placeable> find(const QString& type) const;
  Document& document_;
  Library* library_ = nullptr;
};

}  // namespace hw::app
