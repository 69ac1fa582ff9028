// RunStatus: the state and the failure of a run as they are shown: an edit ends a failure, a wish to stop has words.
#pragma once

#include <QString>

#include "engine/train/run_snapshot.h"

namespace hw::app {

/// Each `run` is the snapshot that is shown now.
class RunStatus {
 public:
  /// After dismiss(), that of a graph that does not run.
  RunState state(const RunSnapshot& run) const {
    return dismissed_ && run.state == RunState::failed ? RunState::idle : run.state;
  }
  /// The error of a failure that is not over. Empty code: there is none.
  Error error(const RunSnapshot& run) const { return dismissed_ ? Error{} : run.error.value_or(Error{}); }
  /// The name of the state from the user's wish to stop or pause until the run has done so; "" else.
  const QString& ending() const { return ending_; }

  /// Takes each snapshot as it comes, and says whether the state that is shown is another than at the last call of this
  /// or of dismiss(). A run may begin and fail between two of them: the snapshot's state is then what it was.
  bool take(const RunSnapshot& run);
  /// A run begins: when it fails, that is shown.
  void begin() { dismissed_ = false; }
  /// The user has asked to stop or to pause what runs.
  void end(const QString& ending) { ending_ = ending; }
  /// The failure was of another graph, or of other files: it is not shown any more. False: there was none to dismiss.
  bool dismiss(const RunSnapshot& run);

  /// Takes each error, and says whether it is another than the one before, so that it has to be reported. Empty code:
  /// the failure is over.
  bool takeError(const Error& error);
  /// What the user asks for begins: the same error is reported again.
  void forgetError() { reported_ = {}; }

 private:
  Error reported_;
  bool dismissed_ = false;           // the error of the snapshot is over
  RunState shown_ = RunState::idle;  // by the last take() or dismiss()
  QString ending_;
};

}  // namespace hw::app
