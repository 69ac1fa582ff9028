// Document: a graph with its undo history, selection, file, validation, and weights, each a class of its own. The
// single owner of editor state.
#pragma once

#include <QObject>
#include <QUndoStack>
#include <QUrl>

#include "app/document/document_file.h"
#include "app/document/document_selection.h"
#include "app/document/document_weights.h"
#include "app/document/shown_graph.h"
#include "engine/graph/check/validate.h"
#include "engine/graph/groups/flat_graph.h"
#include "engine/graph/groups/moved_nodes.h"

namespace hw::app {

class DocumentChange;

/// Lives on the GUI thread. Every change of the graph goes through push(): one call, one undo step.
class Document : public QObject {
  Q_OBJECT
  Q_PROPERTY(QString title READ title NOTIFY fileChanged)
  Q_PROPERTY(QString path READ path NOTIFY fileChanged)
  Q_PROPERTY(bool modified READ modified NOTIFY modifiedChanged)
  Q_PROPERTY(bool marked READ marked NOTIFY modifiedChanged)
  Q_PROPERTY(hw::app::DocumentWeights* weights READ weights CONSTANT)
  Q_PROPERTY(bool canUndo READ canUndo NOTIFY historyChanged)
  Q_PROPERTY(bool canRedo READ canRedo NOTIFY historyChanged)
  Q_PROPERTY(QString undoText READ undoText NOTIFY undoTextChanged)
  Q_PROPERTY(QString redoText READ redoText NOTIFY historyChanged)
  Q_PROPERTY(bool empty READ empty NOTIFY emptyChanged)
  Q_PROPERTY(QString activeNode READ activeNode NOTIFY selectionChanged)
  /// "strict", "negotiate", "autocast bf16", "autocast f16": what happens where dtypes meet. Setting it is an undo
  /// step.
  Q_PROPERTY(QString policy READ policy WRITE setPolicy NOTIFY policyChanged)

 public:
  explicit Document(QObject* parent = nullptr);
  ~Document() override;  // waits for weights that are still being written

  /// What the file holds.
  const Graph& graph() const { return graph_; }
  /// What is on the canvas. Selection, edits and signals are of its nodes, whose ids are those in it.
  const ShownGraph& shown() const { return shown_; }
  /// The path of a node that is shown, as flat(), runs and checks name it.
  QString pathOf(const QString& node) const;
  /// Shows the inside of an instance, by its path, or of the nearest around it; "": the graph itself. Not part of
  /// history: undo and redo go to where their step was made.
  Q_INVOKABLE void openGroup(const QString& path);
  /// What runs: the graph with the nodes of groups in place of their instances, by path.
  const Graph& flat() const { return flat_.graph(); }
  /// The validator of flat().
  const Validator& validator() const { return validator_; }
  /// What flat() has learnt. save() writes them, too.
  DocumentWeights* weights() { return &weights_; }
  const DocumentWeights* weights() const { return &weights_; }
  /// Applies edits of the shown graph as one undo step named `text` ("Add MLP"); in a group all its instances follow.
  /// With a policy other than strict the casts that it asks for then belong to the step. Refused edits leave no trace
  /// in history: returns false and emits refused(). Calls with the same non-negative `mergeId` in a row merge into one
  /// step (dragging a slider or nodes) until endMerge() or another push.
  /// `moved`: nodes of the shown graph whose weights go along, as make_group says.
  bool push(const QString& text, Edits edits, int mergeId = -1, const MovedNodes& moved = {});
  /// push() of edits of graph().
  bool pushDocument(const QString& text, Edits edits);
  /// push() of edits that were made for flat(): see document_edits().
  bool pushFlat(const QString& text, const Edits& edits);
  /// push() of a plan for all of flat(): instances of a group that it changes in different ways get groups of their
  /// own.
  bool pushPlan(const QString& text, const Edits& edits);
  /// pushDocument() of a rewrite, in one step with the weights that the graph takes then; null: those it has stay.
  bool pushRewritten(const QString& text, const Edits& edits, std::shared_ptr<const Weights> weights);
  /// Pushes what a remedy makes of the graph as it is now.
  bool mend(const Remedy& remedy);
  void endMerge();
  /// Takes the last step back; where a gesture that goes on has made it, letting go does.
  Q_INVOKABLE void undo();
  Q_INVOKABLE void redo();
  /// Whoever holds something of it in hand lets go: see stepComing(). Before another document is shown, a dialog opens,
  /// and where positions are read that a hand may have changed.
  Q_INVOKABLE void letGo() { Q_EMIT stepComing(-1); }

  const DocumentSelection& selection() const { return selection_; }
  /// selection(), as QML sees it.
  const QString& activeNode() const { return selection_.active(); }
  /// The path of activeNode(); "" when there is none.
  QString activePath() const { return activeNode().isEmpty() ? QString() : pathOf(activeNode()); }
  void select(const QSet<QString>& nodes, const QString& active, const std::vector<Link>& links = {},
              const QSet<QString>& frames = {}) {
    selection_.select(nodes, active, links, frames);
  }
  Q_INVOKABLE void selectNode(const QString& id) { selection_.selectNode(id); }
  Q_INVOKABLE void selectAll() { selection_.selectAll(); }
  Q_INVOKABLE void clearSelection() { selection_.clear(); }
  Q_INVOKABLE void deleteSelection();
  /// Asks the canvas to show the node at a path, in the group that it is in.
  Q_INVOKABLE void reveal(const QString& path, bool selects = true);

  // Files. Each returns false and emits refused() with the reason; the document in memory is then unchanged.
  Q_INVOKABLE void newDocument();
  /// `asCopy`: as a graph without a file, called like it; weights beside it are not read.
  Q_INVOKABLE bool load(const QUrl& file, bool asCopy = false);
  /// Changes that were not saved, of a file (which may be gone; "": of none, called `name`) that looked like `stamp`.
  /// `weights`: a file of what it had learnt and not saved; "": those beside its file are read.
  void restore(Graph graph, const QString& path, const QString& name, const FileStamp& stamp,
               const QString& weights = {});
  /// What the graph may read because the user chose or allowed it is allowed for as long as this graph is open. Not
  /// part of history.
  const DocumentFile& file() const { return file_; }
  Q_INVOKABLE bool changedOutside() const { return file_.changedOutside(); }
  Q_INVOKABLE bool save();  // needs a path
  Q_INVOKABLE bool saveAs(const QUrl& file);
  Q_INVOKABLE void allow(const QString& file);
  /// The user has set a parameter: what it names on disk, if anything, is allowed; of a data set its whole folder.
  /// explained() says where it lies outside the graph's folder.
  void allowChosen(const NodeType& type, const ParamDecl& param, const ParamValue& value);

  QString title() const { return file_.title(); }
  QString path() const { return file_.path(); }
  QString folder() const { return file_.folder(); }
  /// The graph, or weights that belong to it.
  bool modified() const;
  /// modified(), but for what the run that goes on has learnt since it was saved: that is saved anew when it ends.
  bool marked() const { return edited() || weights_.marked(); }
  /// The graph.
  bool edited() const { return !undo_.isClean(); }
  bool canUndo() const;
  bool canRedo() const;
  QString undoText() const;
  QString redoText() const;
  bool empty() const { return graph_.nodes().empty(); }
  QString policy() const;
  void setPolicy(const QString& policy);

 Q_SIGNALS:
  /// Comes before a step of history is made, taken back or made again, and before another graph is shown. A gesture
  /// that holds something of what is shown, a wire, nodes, a number, ends without effect, unless the step is its own:
  /// what it holds may be gone afterwards. `mergeId`: that of push(), −1 of all else.
  void stepComing(int mergeId);
  /// The whole graph was replaced (new, load). shownChanged() comes before.
  void reset();
  /// Comes before shownChanged(): what is typed and not committed is of the graph that is still shown.
  void shownAboutToChange();
  /// Another graph is shown: the inside of a group, what is around it, or another document's.
  void shownChanged();
  void nodesAdded(const QStringList& ids);
  void nodesRemoved(const QStringList& ids);
  /// Parameters, label, position or flags.
  void nodesChanged(const QStringList& ids);
  /// Wires at these nodes came or went. One of them may be gone.
  void linksChanged(const QStringList& ids);
  /// Frames of the shown graph came, went or changed.
  void framesChanged();
  /// After every edit: nodes whose wire types or diagnostics changed, or those of a node in them. Comes after the
  /// signals above.
  void validationChanged(const QStringList& ids);
  /// Nodes have other paths, by flat(), and keep what they have learnt: weights() has their new names. Comes before
  /// structureChanged().
  void nodesMoved(const hw::MovedNodes& moved);
  /// Something other than positions, labels and frames changed: a run must lower again.
  void structureChanged();
  void allowedChanged();
  void policyChanged();
  void selectionChanged();
  void fileChanged();
  void modifiedChanged();
  void historyChanged();
  void undoTextChanged();
  void emptyChanged();
  /// An edit, load or save that did not happen, and why; `remedy` may be empty.
  void refused(const QString& code, const QString& reason, const QString& remedy);
  /// What a policy or a remedy for the whole graph did, and why: a line for each Cast and each changed node.
  void explained(const QString& what, const QStringList& lines);
  /// Ask the canvas to show this node (Problems, search).
  void revealRequested(const QString& id);

 private:
  friend class EditCommand;
  /// What the last step gave the document to begin with, where it has been trained since: taking the step back would
  /// drop that, so it becomes a step of its own first.
  const Learnt* trainedSince() const;
  void explain(const QString& what, const std::vector<std::string>& notes);
  /// Edits of graph(), with the casts of its policy or as they are.
  bool pushWithCasts(const QString& text, const Edits& edits, int mergeId, const MovedNodes& moved);
  bool pushExactly(const QString& text, Edits edits, int mergeId, const MovedNodes& moved);
  bool pushOrRefuse(const QString& text, const Result<Edits>& edits);
  /// Redo and undo of edits that were applied to graph() while the graph at `path` was shown: both notify listeners.
  void reapply(const std::string& path, const Edits& edits, const MovedNodes& moved);
  void takeBack(const std::string& path, const Edits& inverse, const MovedNodes& moved);
  /// Brings what follows from graph() up to date with edits that were applied to it: after it a listener may look at
  /// all of it.
  void follow(DocumentChange& change, const Edits& edits);
  void announce(DocumentChange& change, const MovedNodes& moved);
  void replace(Graph graph, const QString& path, const QString& name = {});
  /// `also`: edits that the file is to hold, and then the graph, as a step.
  bool saveTo(const QString& path, const Edits& also = {});
  /// explained(): these lie outside folder().
  void explainOutside(const QString& what, const std::vector<AssetRef>& outside);
  void refuse(const Error& error);

  Graph graph_;
  ShownGraph shown_;
  FlatGraph flat_;
  Validator validator_;
  QUndoStack undo_;
  int mergeRun_ = 0;  // counts up where merging must stop
  DocumentSelection selection_{shown_};
  DocumentFile file_;
  DocumentWeights weights_{flat_.graph(), validator_};
};

}  // namespace hw::app
