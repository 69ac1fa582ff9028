// What a view does while edits come faster than it draws: it follows, and what nobody wants any more is stopped.
#include "app/models/watched/watched_view.h"

#include <gtest/gtest.h>

#include <QDeadlineTimer>
#include <QThread>
#include <atomic>

#include "app/document/document_assets.h"
#include "app/models/run/run_model.h"
#include "engine/core/codes.h"
#include "tests/app/support.h"

namespace hw::app::testing {
namespace {

/// Shows the value of the constant "c", after `ms` of drawing.
class SlowView : public WatchedView {
 public:
  SlowView(Document& document, RunModel& run, std::shared_ptr<Assets> assets, int ms)
      : WatchedView(document, run, std::move(assets), nullptr), ms_(ms) {}
  ~SlowView() override { end(); }
  double shown = 0;
  std::atomic<int> stopped{0};

 protected:
  Plan plan() override {
    const double value = std::get<double>(param_value(*document_.flat().find("c"), "value"));
    return {"c", [this, value]() -> Accept { return [this, value] { wanted_ = value; }; }, {}};
  }
  bool shows(const Node&) const override { return false; }
  void draw() override {
    startDrawing([this, value = wanted_](const HandOver& handOver) -> Status {
      const QDeadlineTimer deadline(ms_);
      while (!deadline.hasExpired()) {
        if (cancel_) {
          ++stopped;
          return Error{codes::cancelled, "", "stopped.", ""};
        }
        QThread::msleep(2);
      }
      handOver([this, value] { shown = value; });
      return ok();
    });
  }

 private:
  const int ms_;
  double wanted_ = 0;
};

struct Scrubbed {
  explicit Scrubbed(int ms) : view(d, run, assets, ms) {
    EXPECT_TRUE(d.push("Fill", {AddNode{node("c", "constant")}}));
    view.setWatched(true);
    EXPECT_TRUE(wait_for([&] { return view.shown == 1; }));
  }
  /// Edits every few milliseconds until so many pictures came meanwhile and so many were stopped; whether they did.
  bool scrub(int pictures_wanted, int stopped_wanted) {
    int pictures = 0;
    QObject::connect(&view, &WatchedView::contentChanged, &view, [&] { ++pictures; });
    const auto done = [&] { return pictures >= pictures_wanted && view.stopped >= stopped_wanted; };
    const QDeadlineTimer deadline(kPatienceMs);
    while (!done() && !deadline.hasExpired()) {
      EXPECT_TRUE(d.push("Scrub", {SetParam{"c", "value", value += 1}}, 7));
      QCoreApplication::processEvents(QEventLoop::AllEvents, 5);
      QThread::msleep(5);
    }
    view.disconnect(&view);
    return done();
  }
  Document d;
  std::shared_ptr<DocumentAssets> assets = assets_of(d);
  RunModel run{d, assets};
  double value = 1;
  SlowView view;
};

TEST(WatchedView, WhatIsDrawnSlowerThanAHandMovesIsSeenWhileItMoves) {
  Scrubbed s(60);
  EXPECT_TRUE(s.scrub(3, 0));
  EXPECT_TRUE(wait_for([&] { return s.view.shown == s.value; })) << "the last edit is shown";
  EXPECT_EQ(s.view.shownChanges(), s.view.changes());
  EXPECT_EQ(s.view.hint(), "");
}

TEST(WatchedView, WhatTakesLongIsStoppedButNotForEver) {
  Scrubbed s(700);
  EXPECT_TRUE(s.scrub(1, 1)) << "patience grows until something is shown; an edit stops what it overtakes";
  EXPECT_TRUE(wait_for([&] { return s.view.shown == s.value; }));
}

}  // namespace
}  // namespace hw::app::testing
