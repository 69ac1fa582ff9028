// NodePreviews: what cards in view show of their nodes' outputs, and what is known of the nodes that were computed.
#pragma once

#include <QElapsedTimer>
#include <QHash>
#include <QSet>

#include "app/models/previews/preview.h"
#include "app/models/tensors/content_cache.h"
#include "app/models/tensors/live_evaluator.h"
#include "app/models/watched/watched_view.h"
#include "engine/field/evaluator.h"

namespace hw::app {

/// Tensors of all nodes in view are computed together, by one program; a field over the pixels by one of its
/// own. As EvaluatedNode: with the newest weights, kept by content, so that an edit computes anew only what depends on
/// it. While a run goes on, for a tenth of the time at most. GUI thread.
class NodePreviews : public WatchedView {
  Q_OBJECT

 public:
  NodePreviews(Document& document, RunModel& run, std::shared_ptr<Assets> assets, QObject* parent = nullptr);
  ~NodePreviews() override;

  /// Paths of the nodes whose previews are in view.
  void lookAt(const QStringList& paths);
  /// Empty while nothing is known.
  Preview of(const QString& path) const { return shown_.value(path); }
  /// The facts of a node that was computed for what is in view; an instance of a group has none. Null: not known.
  const NodeFacts* facts(const QString& path) const;
  /// How often tensors were computed, and not found among what was kept.
  int evaluations() const { return evaluations_; }

 Q_SIGNALS:
  /// of() changed for these.
  void previewsChanged(const QStringList& paths);
  /// facts() changed, for any.
  void factsChanged();

 protected:
  Plan plan() override;
  bool shows(const Node&) const override { return false; }
  void draw() override;
  bool known() override;

 private:
  using Content = std::shared_ptr<const PreviewContent>;
  using Facts = std::map<std::string, NodeFacts>;
  struct Item;
  struct Planned;
  class Drawing;
  std::shared_ptr<const Planned> planned();
  EvaluationRequest with_weights(const Planned& planned);
  void show(const QHash<QString, Content>& contents);

  QStringList lookedAt_;
  QHash<QString, Preview> shown_;
  std::shared_ptr<const Facts> facts_ = std::make_shared<const Facts>();
  std::shared_ptr<const Planned> planned_;
  ContentCache<PreviewContent> kept_;
  ContentCache<NodeFacts> keptFacts_;
  LiveEvaluator evaluator_;  // worker thread only, as what follows
  struct LiveField;
  QHash<QString, std::shared_ptr<LiveField>> fields_;
  std::atomic<int> evaluations_{0};
  std::atomic<qint64> took_{0};  // ms, the last drawing
  QElapsedTimer drawn_;          // since it began
  QTimer later_{this};
};

}  // namespace hw::app
