// DocumentWeights: what a document's graph has learnt, and how that goes to and from the files beside it.
#pragma once

#include <QObject>
#include <QThreadPool>
#include <atomic>
#include <functional>
#include <memory>
#include <optional>

#include "app/document/learnt_weights.h"
#include "engine/graph/check/validate.h"
#include "engine/graph/groups/moved_nodes.h"
#include "engine/graph/weights/fit_weights.h"
#include "engine/io/file/reach.h"
#include "engine/plan/weights.h"
#include "engine/train/checkpoint.h"

namespace hw::app {

/// Lives on the GUI thread. Files are read and written, and tensors converted, on a worker thread, one after the other;
/// what comes back from it late, when another graph is open, is dropped.
class DocumentWeights : public QObject {
  Q_OBJECT
  /// Whether save() writes the optimiser's state beside the weights, too.
  Q_PROPERTY(bool keepsOptimiser READ keepsOptimiser WRITE setKeepsOptimiser NOTIFY keepsOptimiserChanged)

 public:
  /// The weights of `graph`, a flattened one, which `validator` knows. Both outlive this.
  DocumentWeights(const Graph& graph, const Validator& validator);
  ~DocumentWeights() override;  // waits for what is still being written

  // What was learnt.

  using Learnt = hw::app::Learnt;
  const Learnt& learnt() const { return learnt_; }
  std::shared_ptr<const Weights> tensors() const { return learnt_.weights; }
  std::shared_ptr<const Checkpoint> states() const { return learnt_.states; }
  /// They belong to the graph, and are not saved.
  bool modified() const { return modified_ || savedInRun_ || (readUnsaved_ && (reading_ || unfitted_)); }
  /// modified(), but for what the run that goes on has learnt since save().
  bool marked() const { return (modified_ && !savedInRun_) || (readUnsaved_ && (reading_ || unfitted_)); }
  /// A run goes on: save() writes what it has learnt by then, published or not.
  void setTraining(bool on);
  bool training() const { return training_; }
  /// save() is under way: what a file held before may be there still.
  bool writing() const { return writing_ > 0; }
  /// A crash would lose some of it now.
  bool unsaved() const { return modified() || training_; }
  /// A run has done a step, whether its weights are published yet or not.
  void noteTrained();
  /// Since the document was given other weights.
  bool trained() const { return trained_; }
  /// What save() would write now, with the optimiser's state.
  LearntWeights now() const;
  /// Takes what a run has learnt, or null.
  void set(std::shared_ptr<const Weights> tensors);
  /// Takes other weights for another graph: replaced() follows.
  void replace(const Learnt& learnt);
  /// Nodes of the graph have other paths, and keep what they have learnt.
  void move(const MovedNodes& moved);
  /// Takes weights of any file, converted and copied on the worker thread: loadReady() follows; refused() where they do
  /// not fit. `names`: which tensor is which parameter.
  void load(const Weights& tensors, std::map<std::string, std::string> names, WeightsTaken taken, OtherDtypes others);

  // The files beside the graph: see workspace::weights_file.

  /// Another graph is open. Nothing is learnt, and it has no file.
  void clear();
  /// Reads what lies beside a graph's file, if anything: loaded() or refused() follows, or problems() say that `reach`
  /// ends before it.
  void open(const QString& graphPath, const Reach& reach);
  /// More may be read: so is what open() was refused, though the graph was saved elsewhere since.
  void extendReach(const Reach& reach);
  /// As open(), of weights that a crash kept in `file`: they belong to the graph, and are not saved.
  void recover(const QString& graphPath, const QString& file);
  /// Writes them beside a graph's file, the open graph's from now on, unless they lie there already; refused() follows
  /// where that fails. Those of another graph that lay there before, and, if there are none, those of this one, are set
  /// aside, and explained() names them. What is still being read, or does not fit, goes along as the file that it is;
  /// what could not be read does not, which explained() says.
  void save(const QString& graphPath);
  /// Where save() takes the optimiser's state from: called on the GUI thread, hands over on any. May be null.
  using StatesSource = std::function<void(CheckpointSink)>;
  void setStatesSource(StatesSource source) { statesSource_ = std::move(source); }
  bool keepsOptimiser() const { return keepsOptimiser_; }
  void setKeepsOptimiser(bool on);
  /// The file that tensors() came from or were saved in; "" when there is none or they have changed since.
  QString savedFile() const;
  /// They are being read, converted or written.
  bool busy() const { return work_.activeThreadCount() > 0; }
  /// Waits until they are; false: that failed, which is said once, and refused() says why. For what cannot be taken
  /// back.
  Q_INVOKABLE bool written();

  // What was read is taken when it fits the graph: all or nothing.

  /// Read and not taken yet, or null.
  std::shared_ptr<const Weights> unfitted() const { return unfitted_; }
  /// Why not.
  const std::vector<Diagnostic>& problems() const { return problems_; }
  /// They are being read, or converted: settled() follows.
  bool pending() const { return reading_ || (unfitted_ && problems_.empty()); }
  /// The graph has another structure: tries unfitted() again.
  void fitAgain();
  /// Takes those of unfitted() that fit; explained() lists the rest.
  void takePartial();

 Q_SIGNALS:
  /// What was read has been taken.
  void loaded();
  /// What was pending has come to an end: taken, refused, or not wanted any more.
  void settled();
  void problemsChanged();
  /// A rewrite, or its undo, has given the graph other weights: what runs goes on from these.
  void replaced();
  /// What load() was given is ready to become the graph's, in one undo step with Graph::weight_names.
  void loadReady(const std::map<std::string, std::string>& names, const std::shared_ptr<const hw::Weights>& tensors);
  void modifiedChanged();
  void trainedChanged();
  /// What is learnt is another, a run began or ended, or a save() has ended.
  void learntChanged();
  /// save() has written what a run that goes on had learnt by then: its weights after `step` steps.
  void savedInRun(qulonglong step);
  void keepsOptimiserChanged();
  void refused(const hw::Error& error);
  /// A line for each tensor that was converted or left out, and for each file that was set aside or left behind.
  void explained(const QString& what, const std::vector<std::string>& notes);

 private:
  template <class Work, class Then>
  void start(const int* count, Work work, Then then);
  void write(bool elsewhere);
  /// On any thread.
  Status setAside(const std::filesystem::path& file);
  /// Reads a file of weights where `reach` allows it, else fills problems().
  void readWithin(const Reach& reach, const std::filesystem::path& file);
  /// Work on the files beside graphPath_, on the worker thread.
  void writeFiles(std::function<Result<LearntWeights::Written>()> work);
  bool differs() const;
  void setTrained(bool on);
  void read(const std::filesystem::path& file, bool unsaved);
  /// Takes what was read when it fits the graph, else keeps it for later and fills problems(). What is to be converted
  /// is so on the worker thread.
  void take(std::shared_ptr<const Weights> read, WeightsTaken taken);
  void took(Weights tensors);
  void dropUnfitted();
  void setModified(bool modified);

  const Graph& graph_;
  const Validator& validator_;
  Learnt learnt_;
  std::shared_ptr<const Weights> saved_;  // those in the file beside graphPath_; null: none, or not known
  bool modified_ = false;
  bool trained_ = false;
  bool training_ = false, savedInRun_ = false;
  QString graphPath_;  // "": it has no file
  StatesSource statesSource_;
  bool keepsOptimiser_ = true;
  std::filesystem::path source_;  // the file that was, or was to be, read last
  bool reading_ = false;          // what lies beside graphPath_, or what a crash kept
  bool readUnsaved_ = false;      // the latter
  int writing_ = 0;               // saves that have not ended
  std::shared_ptr<const Weights> unfitted_;
  std::vector<Diagnostic> problems_;
  /// What load() was asked for.
  struct Load {
    Weights tensors;
    std::map<std::string, std::string> names;
    WeightsTaken taken;
    OtherDtypes others;
    bool stale = false;  // the graph has another structure since
  };
  std::optional<Load> load_;
  int generation_ = 0;             // counts graphs
  int loads_ = 0;                  // counts load()s
  int fitting_ = 0;                // counts attempts to take what was read
  std::atomic<bool> lost_{false};  // the last write failed, and written() has not said so
  QThreadPool work_;               // one thread
};

}  // namespace hw::app
