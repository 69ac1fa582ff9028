// CardFacts: what is known of a node that ran, for its card: dtypes, time, memory. Nothing is estimated.
#pragma once

#include <QObject>
#include <QVariantMap>

#include "engine/instrument/node_facts.h"

namespace hw::app {

class Document;
class NodePreviews;
class RunModel;

/// The facts of a run while it goes on, and until the graph is another; else those of what was evaluated. GUI thread.
class CardFacts : public QObject {
  Q_OBJECT

 public:
  /// All outlive it.
  CardFacts(const Document& document, const RunModel& run, const NodePreviews& previews, QObject* parent = nullptr);

  /// By path: {text: "f16 · bf16 · f32  0.8 ms  1.2 MiB": stored, computed, accumulated in; tip: the same in words}.
  /// Empty while nothing is known.
  QVariantMap of(const QString& path) const;

 Q_SIGNALS:
  /// The facts of any node.
  void changed();

 private:
  const RunModel& run_;
  const NodePreviews& previews_;
  bool runIsOlder_ = false;  // than the graph
};

/// `ms` 0: not known, or said elsewhere. `of_run`: its time is a mean a step.
QVariantMap facts_text(const NodeFacts& facts, bool of_run);

}  // namespace hw::app
