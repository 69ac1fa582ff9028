// Shared by the tests of document and models: small graphs, waiting for the event loop.
#pragma once

#include <QCoreApplication>
#include <QDeadlineTimer>
#include <QTemporaryDir>

#include "app/document/document.h"

namespace hw::app::testing {

inline Node node(const std::string& id, const std::string& type, ParamMap params = {}) {
  Node n;
  n.id = id;
  n.type = type;
  n.params = std::move(params);
  return n;
}

/// Runs the event loop until `done` or for five seconds; returns done().
template <class F>
bool wait_for(F&& done, int ms = 5000) {
  const QDeadlineTimer deadline(ms);
  while (!done() && !deadline.hasExpired()) {
    QCoreApplication::processEvents(QEventLoop::AllEvents, 20);
  }
  return done();
}

/// The last refusal of a document.
struct Refusals {
  explicit Refusals(Document& document) {
    QObject::connect(&document, &Document::refused, &document,
                     [this](const QString& c, const QString& r, const QString&) { code = c, reason = r, ++count; });
  }
  QString code, reason;
  int count = 0;
};

}  // namespace hw::app::testing
