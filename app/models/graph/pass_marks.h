// PassMarks: how passes change the nodes of a graph when it is evaluated, found after each edit.
#pragma once

#include <QHash>
#include <memory>

#include "app/document/after_edits.h"

namespace hw::app {

/// Lives on the GUI thread; lowers the graph on a thread of its own.
class PassMarks : public QObject {
  Q_OBJECT

 public:
  /// `document` outlives it; `device`: by id.
  PassMarks(const Document& document, std::shared_ptr<Assets> assets, QString device, QObject* parent = nullptr);

  /// Texts about the nodes that a pass changes, by the id of their card; an instance's is about the nodes in it.
  /// Nodes behind errors, or files that cannot be read, have none.
  const QHash<QString, QString>& texts() const { return texts_; }
  bool busy() const { return analysis_.busy(); }
  /// Schedules an analysis for this device, by id.
  void setDevice(const QString& device);
  /// Schedules another analysis: what the graph reads has changed.
  void renew() { analysis_.renew(); }

 Q_SIGNALS:
  void changed();

 private:
  void setTexts(const QHash<QString, QString>& texts);

  const std::shared_ptr<Assets> assets_;
  QString device_;
  QHash<QString, QString> texts_;
  AfterEdits analysis_;
};

}  // namespace hw::app
