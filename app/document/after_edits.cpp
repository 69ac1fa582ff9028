#include "app/document/after_edits.h"

#include "app/document/task.h"

namespace hw::app {
namespace {

constexpr int kSoonMs = 400;

}  // namespace

AfterEdits::AfterEdits(const Document& document, std::function<Look()> begin, Told failed)
    : begin_(std::move(begin)), failed_(std::move(failed)) {
  work_.setMaxThreadCount(1);
  soon_.setSingleShot(true);
  soon_.setInterval(kSoonMs);
  connect(&soon_, &QTimer::timeout, this, &AfterEdits::look);
  for (const auto change : {&Document::structureChanged, &Document::reset})
    connect(&document, change, this, &AfterEdits::renew);
}

AfterEdits::~AfterEdits() {
  work_.waitForDone();
}

void AfterEdits::look() {
  if (busy_) {
    again_ = true;
    return;
  }
  busy_ = true;
  start_task(
      work_, this,
      [this, look = begin_()] {
        const Told told = look();
        // The destructor waits for this thread.
        QMetaObject::invokeMethod(
            this, [this, told] { end(told); }, Qt::QueuedConnection);
      },
      [this](const Error&) { end(failed_); });
}

void AfterEdits::end(const Told& told) {
  busy_ = false;
  told();
  if (std::exchange(again_, false)) look();
}

}  // namespace hw::app
