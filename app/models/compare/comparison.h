// Comparison: the document beside another graph, on one canvas: what is only here, what only there, what changed.
#pragma once

#include <QHash>
#include <QObject>
#include <QRectF>
#include <QTimer>
#include <QUrl>
#include <QVariantList>

#include "app/document/document.h"
#include "app/models/cards/card.h"
#include "engine/graph/compare_graphs.h"

namespace hw::app {

/// What the other graph has where this one has nothing: drawn as a ghost.
struct Ghost {
  QString title;
  QRectF rect;  // canvas units
  Card card;    // none of a frame
  bool frame = false;
};

/// GUI thread; the Document must outlive it. Edits nothing; follows edits of the document while it is on, and ends when
/// another file takes its place.
class Comparison : public QObject {
  Q_OBJECT
  Q_PROPERTY(bool on READ on NOTIFY changed)
  /// What the document is compared with.
  Q_PROPERTY(QString title READ title NOTIFY changed)
  /// "2 added, 1 removed, 3 changed", "No difference".
  Q_PROPERTY(QString summary READ summary NOTIFY changed)
  /// {kind: "added", "removed", "changed", text, details, group}, from left to right, the document's graph first.
  Q_PROPERTY(QVariantList items READ items NOTIFY changed)
  /// From 0; −1: none yet.
  Q_PROPERTY(int current READ current NOTIFY currentChanged)
  /// {id, title, x, y, width, height} of what is only in the other and belongs to the graph that is shown.
  Q_PROPERTY(QVariantList ghosts READ ghostNames NOTIFY marksChanged)

 public:
  using Kind = Difference::Kind;

  explicit Comparison(Document& document, QObject* parent = nullptr);

  bool on() const { return on_; }
  const QString& title() const { return title_; }
  QString summary() const;
  const QVariantList& items() const { return items_; }
  int current() const { return current_; }

  /// False: refused() of the document says why the file cannot be read.
  Q_INVOKABLE bool withFile(const QUrl& file);
  /// The file as it was saved last; the document has one.
  Q_INVOKABLE bool withSaved();
  void with(const QString& title, Graph other);
  /// False: nothing was compared.
  Q_INVOKABLE bool leave();
  /// The next (1) or the one before (−1), round and round. False: there is none.
  Q_INVOKABLE bool step(int by);
  /// Shows a difference in the graph that it is in, and selects its node.
  Q_INVOKABLE void show(int item);
  /// The tooltip of a node that is shown; "": none.
  QString textOf(const QString& node) const;

  // The differences of the graph that is shown.
  const QHash<QString, Kind>& nodes() const { return nodes_; }  // ghosts aside
  const QHash<QString, Kind>& frames() const { return frames_; }
  const QHash<QString, Ghost>& ghosts() const { return ghosts_; }  // by id; frames as "frame:id"
  const std::vector<std::pair<Link, Kind>>& wires() const { return wires_; }
  QVariantList ghostNames() const;

 Q_SIGNALS:
  void changed();
  void currentChanged();
  /// The marks on the canvas have changed.
  void marksChanged();
  /// This place of the canvas was stepped to.
  void reached(const QRectF& place);

 private:
  struct Item {
    std::string level;  // id of the definition; "": the document
    Difference difference;
  };
  void look();
  void mark();
  /// The definition's id of the graph that is shown.
  std::string shown_level() const;
  const Graph* level_of(const Graph& document, const std::string& level) const;
  QRectF place_of(const Difference& difference) const;
  QVariantMap describe(const Item& item) const;

  Document& document_;
  bool on_ = false;
  QString title_;
  Graph other_;
  GraphComparison found_;
  std::vector<Item> list_;
  QVariantList items_;
  int current_ = -1;
  QHash<QString, Kind> nodes_, frames_;
  QHash<QString, Ghost> ghosts_;
  std::vector<std::pair<Link, Kind>> wires_;
  QTimer soon_;
};

}  // namespace hw::app
