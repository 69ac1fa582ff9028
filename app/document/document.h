// Document: a graph with its undo history, selection, file, and validation. The single owner of editor state.
#pragma once

#include <QDateTime>
#include <QObject>
#include <QSet>
#include <QStringList>
#include <QThreadPool>
#include <QUndoStack>
#include <QUrl>
#include <atomic>

#include "app/document/shown_graph.h"
#include "engine/core/tensor.h"
#include "engine/graph/fit_weights.h"
#include "engine/graph/flat_graph.h"
#include "engine/graph/moved_nodes.h"
#include "engine/graph/validate.h"
#include "engine/train/checkpoint.h"

namespace hw::app {

class DocumentChange;

/// What a file looked like.
struct FileStamp {
  QDateTime time;  // of its last change
  qint64 size = 0;
  bool operator==(const FileStamp&) const = default;
};

/// Lives on the GUI thread. Every change of the graph goes through push(): one call, one undo step.
class Document : public QObject {
  Q_OBJECT
  Q_PROPERTY(QString title READ title NOTIFY fileChanged)
  Q_PROPERTY(QString path READ path NOTIFY fileChanged)
  Q_PROPERTY(bool modified READ modified NOTIFY modifiedChanged)
  /// Whether save() writes the optimiser's state beside the weights, too.
  Q_PROPERTY(bool keepsOptimiser READ keepsOptimiser WRITE setKeepsOptimiser NOTIFY keepsOptimiserChanged)
  Q_PROPERTY(bool canUndo READ canUndo NOTIFY historyChanged)
  Q_PROPERTY(bool canRedo READ canRedo NOTIFY historyChanged)
  Q_PROPERTY(QString undoText READ undoText NOTIFY historyChanged)
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
  /// Of flat().
  const Validator& validator() const { return validator_; }
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
  /// pushDocument() of a rewrite, in one step with the weights that the graph takes then; null: those it has stay.
  bool pushRewritten(const QString& text, const Edits& edits,
                     std::shared_ptr<const std::map<std::string, Tensor>> weights);
  /// Pushes what a remedy makes of the graph as it is now.
  bool mend(const Remedy& remedy);
  void endMerge();
  Q_INVOKABLE void undo();
  Q_INVOKABLE void redo();

  // Selection: ids of nodes and frames, and links, of the shown graph. Not part of history.
  const QSet<QString>& selectedNodes() const { return selectedNodes_; }
  const std::vector<Link>& selectedLinks() const { return selectedLinks_; }
  /// The node the inspector shows: the one clicked last; empty when nothing is selected.
  const QString& activeNode() const { return activeNode_; }
  /// Its path; "" when there is none.
  QString activePath() const { return activeNode_.isEmpty() ? QString() : pathOf(activeNode_); }
  const QSet<QString>& selectedFrames() const { return selectedFrames_; }
  void select(const QSet<QString>& nodes, const QString& active, const std::vector<Link>& links = {},
              const QSet<QString>& frames = {});
  Q_INVOKABLE void selectNode(const QString& id);
  /// Asks the canvas to show the node at a path, in the group that it is in.
  Q_INVOKABLE void reveal(const QString& path, bool selects = true);
  Q_INVOKABLE void selectAll();
  Q_INVOKABLE void clearSelection();
  Q_INVOKABLE void deleteSelection();

  // Files. Each returns false and emits refused() with the reason; the document in memory is then unchanged.
  Q_INVOKABLE void newDocument();
  /// `asCopy`: as a graph without a file, called like it; weights beside it are not read.
  Q_INVOKABLE bool load(const QUrl& file, bool asCopy = false);
  /// Changes that were not saved, of a file (which may be gone; "": of none, called `name`) that looked like `stamp`.
  /// Weights beside it are read.
  void restore(Graph graph, const QString& path, const QString& name, const FileStamp& stamp);
  /// The file is another, or gone, since it was loaded or saved here.
  Q_INVOKABLE bool changedOutside() const;
  /// Of path(), when it was loaded or saved here.
  const FileStamp& fileStamp() const { return fileStamp_; }
  Q_INVOKABLE bool save();  // needs a path
  Q_INVOKABLE bool saveAs(const QUrl& file);
  /// Weights are written beside the graph (same stem, .safetensors) when there are any, and read back by load(); both
  /// on a worker thread: weightsLoaded() or refused() follows.
  std::shared_ptr<const std::map<std::string, Tensor>> weights() const { return weights_; }
  void setWeights(std::shared_ptr<const std::map<std::string, Tensor>> weights);
  /// What was learnt: weights(), and the optimiser's state that belongs to them, or null.
  struct Learnt {
    std::shared_ptr<const std::map<std::string, Tensor>> weights;
    std::shared_ptr<const Checkpoint> states;
  };
  Learnt learnt() const { return {weights_, states_}; }
  /// Takes other weights for another graph: weightsReplaced() follows.
  void replaceLearnt(const Learnt& learnt);
  /// The optimiser's state that lies beside the weights and belongs to them (same stem, .optimiser.safetensors), or
  /// null.
  std::shared_ptr<const Checkpoint> states() const { return states_; }
  /// Where save() takes it from: called on the GUI thread, hands over on any. May be null.
  using StatesSource = std::function<void(CheckpointSink)>;
  void setStatesSource(StatesSource source) { statesSource_ = std::move(source); }
  bool keepsOptimiser() const { return keepsOptimiser_; }
  void setKeepsOptimiser(bool on);
  /// Takes the weights beside the graph that fit it; explained() lists the rest.
  Q_INVOKABLE void takePartialWeights();
  /// Takes weights of any file, converted and copied on a worker thread. `names`: which tensor is which parameter,
  /// Graph::weight_names from now on. One undo step, after which weightsReplaced() follows; refused() where they do not
  /// fit.
  void loadWeights(const std::map<std::string, Tensor>& tensors, std::map<std::string, std::string> names,
                   WeightsTaken taken, OtherDtypes others);
  /// Weights that were read and are not taken yet, or null.
  std::shared_ptr<const std::map<std::string, Tensor>> unfitted() const { return unfitted_; }
  /// Why the weights beside the graph were not taken: all or nothing. They are tried again after each edit of
  /// structure.
  const std::vector<Diagnostic>& weightProblems() const { return weightProblems_; }
  /// Weights are being read, or converted: weightsSettled() follows.
  bool weightsPending() const { return reading_ || (unfitted_ && weightProblems_.empty()); }
  /// What the graph may read besides its own folder and the asset folders, because a person chose or allowed it:
  /// absolute paths, for as long as this graph is open. Not part of history.
  const QStringList& allowed() const { return allowed_; }
  Q_INVOKABLE void allow(const QString& file);
  /// A person sets a parameter: what it names on disk, if anything, is allowed; of a data set its whole folder.
  void allowChosen(const NodeType& type, const ParamDecl& param, const ParamValue& value);
  /// The remedy of HW-A006; it has no edits.
  static Remedy allowRemedy();

  /// The file that weights() came from or were saved in; "" when there is none or they have changed since.
  QString savedWeights() const;
  /// Weights are being read or written.
  bool busy() const { return fileWork_.activeThreadCount() > 0; }

  /// Waits until weights are written; false: that failed, and refused() says why. For what cannot be taken back.
  Q_INVOKABLE bool weightsWritten();

  QString title() const;
  QString path() const { return path_; }
  /// The graph, or weights that belong to it.
  bool modified() const;
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
  /// Nodes have other paths, by flat(), and keep what they have learnt: weights() have their new names. Comes before
  /// structureChanged().
  void nodesMoved(const hw::MovedNodes& moved);
  /// Something other than positions, labels and frames changed: a run must lower again.
  void structureChanged();
  void allowedChanged();
  void weightsLoaded();
  /// A rewrite, or its undo, has given the graph other weights: what runs goes on from these.
  void weightsReplaced();
  /// What was pending has come to an end: taken, refused, or not wanted any more.
  void weightsSettled();
  void weightProblemsChanged();
  void keepsOptimiserChanged();
  void policyChanged();
  void selectionChanged();
  void fileChanged();
  void modifiedChanged();
  void historyChanged();
  void emptyChanged();
  /// An edit, load or save that did not happen, and why; `remedy` may be empty.
  void refused(const QString& code, const QString& reason, const QString& remedy);
  /// What a policy or a remedy for the whole graph did, and why: a line for each Cast and each changed node.
  void explained(const QString& what, const QStringList& lines);
  /// Ask the canvas to show this node (Problems, search).
  void revealRequested(const QString& id);

 private:
  friend class EditCommand;
  void explain(const QString& what, const std::vector<std::string>& notes);
  /// Whether the graph's policy has casts to add to these edits of the shown graph.
  bool asksForCasts(const Edits& edits) const;
  /// Edits of graph(), with the casts of its policy or as they are.
  bool pushWithCasts(const QString& text, const Edits& edits, int mergeId, const MovedNodes& moved);
  bool pushExactly(const QString& text, Edits edits, int mergeId, const MovedNodes& moved);
  /// Redo and undo of edits that were applied to graph() while the graph at `path` was shown: both tell everyone.
  void reapply(const std::string& path, const Edits& edits, const MovedNodes& moved);
  void takeBack(const std::string& path, const Edits& inverse, const MovedNodes& moved);
  /// Brings what follows from graph() up to date with edits that were applied to it: after it a listener may look at
  /// all of it.
  void follow(DocumentChange& change, const Edits& edits);
  void announce(DocumentChange& change, const MovedNodes& moved);
  void moveWeights(const MovedNodes& moved);
  void forget(const QStringList& removed);
  void forgetFrames();
  void replace(Graph graph, const QString& path, const QString& name = {});
  void noteFile();
  bool saveTo(const QString& path);
  void readWeights(const QString& graphPath);
  /// Whether a file beside the graph may be read: HW-A006.
  Status checkReach(const QString& file) const;
  void writeWeights(const QString& graphPath);
  /// Weights of the graph that a Save As replaces are not this one's.
  static void setWeightsAside(const QString& graphPath);
  /// Takes loaded weights when they fit the graph, else keeps them for later and fills weightProblems(). What is to be
  /// converted is so on the worker thread; weightsLoaded() follows.
  void takeWeights(std::shared_ptr<const std::map<std::string, Tensor>> loaded,
                   WeightsTaken taken = WeightsTaken::all_or_nothing);
  void tookWeights(std::map<std::string, Tensor> tensors);
  void dropUnfitted();
  void refuse(const Error& error);
  void setWeightsModified(bool modified);

  Graph graph_;
  ShownGraph shown_;
  FlatGraph flat_;
  Validator validator_;
  QUndoStack undo_;
  int mergeRun_ = 0;  // counts up where merging must stop
  QSet<QString> selectedNodes_;
  std::vector<Link> selectedLinks_;
  QSet<QString> selectedFrames_;
  QString activeNode_;
  QString path_;
  QString name_;  // of what it is a copy of
  QStringList allowed_;
  FileStamp fileStamp_;
  std::shared_ptr<const std::map<std::string, Tensor>> weights_;
  std::shared_ptr<const std::map<std::string, Tensor>> unfitted_;  // loaded, not taken yet
  std::vector<Diagnostic> weightProblems_;
  std::shared_ptr<const Checkpoint> states_;  // of weights_ as they were read
  StatesSource statesSource_;
  bool keepsOptimiser_ = true;
  bool reading_ = false;  // weights of the file that is open
  int fitting_ = 0;       // counts attempts to take weights: a late conversion of another is dropped
  bool weightsModified_ = false;
  int generation_ = 0;                    // of the file: late weights of another file are dropped
  std::atomic<bool> weightsLost_{false};  // the last write of weights failed
  QThreadPool fileWork_;                  // one thread: files are touched in order
};

}  // namespace hw::app
