// Frames: frames and notes of the graph on the canvas, made and changed.
#pragma once

#include <QObject>
#include <QStringList>

#include "app/document/document.h"
#include "engine/graph/frames.h"

namespace hw::app {

/// Each edit is one undo step of the graph that is shown; refused() of the document says why one is not made. GUI
/// thread; the Document must outlive it.
class Frames : public QObject {
  Q_OBJECT
  /// What setColour() takes, beside "".
  Q_PROPERTY(QStringList colours READ colours CONSTANT)

 public:
  explicit Frames(Document& document, QObject* parent = nullptr) : QObject(parent), document_(document) {}

  static QStringList colours();
  /// Puts a frame around the selected nodes and frames, and selects it.
  Q_INVOKABLE void frameSelection();
  /// Its id; "" when refused.
  Q_INVOKABLE QString addNote(double x, double y);
  Q_INVOKABLE void setTitle(const QString& id, const QString& title);
  Q_INVOKABLE void setText(const QString& id, const QString& text);
  Q_INVOKABLE void setColour(const QString& id, const QString& colour);
  Q_INVOKABLE QString colourOf(const QString& id) const;
  Q_INVOKABLE bool isNote(const QString& id) const;
  /// Makes it as small as what is in it allows.
  Q_INVOKABLE void shrink(const QString& id);
  /// What is in it stays.
  Q_INVOKABLE void remove(const QString& id);
  Q_INVOKABLE void select(const QString& id) { document_.select({}, {}, {}, {id}); }
  /// The selected one; "" when there is none, or several.
  Q_INVOKABLE QString selectedOne() const;
  /// Calls in a row merge until Document::endMerge().
  void resize(const Frame& frame);

 private:
  const Frame* find(const QString& id) const;
  void set(const QString& text, Frame frame);
  void refuse(const Error& error);
  Document& document_;
};

}  // namespace hw::app
