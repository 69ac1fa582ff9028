#include "app/models/run/session_feed.h"

#include <utility>

#include "app/document/text.h"

namespace hw::app {
namespace {

constexpr int kStructureMs = 60;

}  // namespace

SessionFeed::SessionFeed(const Document& document, Session& session, std::function<bool()> follows, QObject* parent)
    : QObject(parent), document_(document), session_(session) {
  session_.publish_weights_while_running(false);
  soon_.setSingleShot(true);
  soon_.setInterval(kStructureMs);
  connect(&soon_, &QTimer::timeout, this, [this, follows = std::move(follows)] {
    if (follows()) send();
  });
  connect(&document_, &Document::structureChanged, this, [this] { soon_.start(); });
  connect(&document_, &Document::selectionChanged, this, [this] {
    if (inspecting_) session_.inspect(to_std(document_.activePath()));
  });
  connect(&document_, &Document::reset, this, &SessionFeed::drop);
}

void SessionFeed::setInspecting(bool on) {
  if (on == inspecting_) return;
  inspecting_ = on;
  session_.inspect(on ? to_std(document_.activePath()) : std::string());
}

void SessionFeed::setWeightsWanted(bool on) {
  weightsWanted_ += on ? 1 : -1;
  session_.publish_weights_while_running(weightsWanted_ > 0);
}

}  // namespace hw::app
