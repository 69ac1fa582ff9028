// SessionFeed: hands a session the changes of its document, and what is looked at while it trains.
#pragma once

#include <QObject>
#include <QTimer>
#include <functional>

#include "app/document/document.h"
#include "engine/train/session.h"

namespace hw::app {

/// No call waits for the engine. GUI thread.
class SessionFeed : public QObject {
  Q_OBJECT

 public:
  /// `follows`: whether the session gets edits as they come; else the next start has them. Document and session outlive
  /// this.
  SessionFeed(const Document& document, Session& session, std::function<bool()> follows, QObject* parent = nullptr);

  /// Sends the graph as it stands.
  void send() { session_.update_graph(document_.flat()); }
  /// Edits that are not sent yet need not be: the session gets the graph otherwise, or another one.
  void drop() { soon_.stop(); }
  /// The tensors of the active node are wanted in the snapshots, or not.
  void setInspecting(bool on);
  /// Weights while running: only when something shows them. Each that wants them says so once, and once when it is
  /// over.
  void setWeightsWanted(bool on);

 private:
  const Document& document_;
  Session& session_;
  QTimer soon_{this};  // edits that come fast (a slider) reach the session together
  bool inspecting_ = false;
  int weightsWanted_ = 0;
};

}  // namespace hw::app
