// Shared by the tests of document and models: small graphs, waiting for the event loop.
#pragma once

#include <gtest/gtest.h>

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

constexpr int kPatienceMs = 60'000;  // until a wait gives up: it ends as soon as it may, and a machine may be busy

/// Runs the event loop until `done` or until patience ends; returns done().
template <class F>
bool wait_for(F&& done, int ms = kPatienceMs) {
  const QDeadlineTimer deadline(ms);
  while (!done() && !deadline.hasExpired()) {
    QCoreApplication::processEvents(QEventLoop::AllEvents, 20);
  }
  return done();
}

/// 40 steps of a parameter that grows by its own gradient, with a rate of 30 until its f16 copy overflows: `narrow`
/// makes the first Inf.
inline void fill_growing(Document& d, double rate) {
  const ParamValue shape = std::vector<double>{2, 3};
  ASSERT_TRUE(d.push(
      "Fill", {AddNode{node("p", "parameter", {{"shape", shape}, {"init", std::string("constant")}, {"scale", 1.0}})},
               AddNode{node("narrow", "cast", {{"to", std::string("f16")}})},
               AddNode{node("wide", "cast", {{"to", std::string("f32")}})},
               AddNode{node("target", "constant", {{"shape", shape}, {"value", 0.0}})}, AddNode{node("mse", "mse")},
               AddNode{node("train", "train",
                            {{"optimiser", std::string("sgd")},
                             {"learning_rate", rate},
                             {"momentum", 0.0},
                             {"schedule", std::string("constant")},
                             {"steps", int64_t{40}}})},
               AddLink{{"p", "y", "narrow", "x"}}, AddLink{{"narrow", "y", "wide", "x"}},
               AddLink{{"wide", "y", "mse", "prediction"}}, AddLink{{"target", "y", "mse", "target"}},
               AddLink{{"mse", "loss", "train", "loss"}}}));
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
