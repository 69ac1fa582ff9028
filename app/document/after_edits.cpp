#include "app/document/after_edits.h"

#include "app/document/task.h"

namespace hw::app {
namespace {

constexpr int kSoonMs = 400;

}  // namespace

AfterEdits::AfterEdits(const Document& document, std::function<Analysis()> begin, Callback failed)
    : begin_(std::move(begin)), failed_(std::move(failed)) {
  work_.setMaxThreadCount(1);
  soon_.setSingleShot(true);
  soon_.setInterval(kSoonMs);
  connect(&soon_, &QTimer::timeout, this, &AfterEdits::start);
  for (const auto change : {&Document::structureChanged, &Document::reset})
    connect(&document, change, this, &AfterEdits::renew);
}

AfterEdits::~AfterEdits() {
  work_.waitForDone();
}

void AfterEdits::start() {
  if (busy_) {
    again_ = true;
    return;
  }
  busy_ = true;
  start_task(
      work_, this,
      [this, analysis = begin_()] {
        const Callback callback = analysis();
        // The destructor waits for this thread.
        QMetaObject::invokeMethod(
            this, [this, callback] { end(callback); }, Qt::QueuedConnection);
      },
      [this](const Error&) { end(failed_); });
}

void AfterEdits::end(const Callback& callback) {
  busy_ = false;
  callback();
  if (std::exchange(again_, false)) start();
}

}  // namespace hw::app
