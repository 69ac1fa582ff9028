// PassMarks: what passes make of the nodes of a graph where it is evaluated, found after each edit.
#pragma once

#include <QHash>
#include <QObject>
#include <QThreadPool>
#include <QTimer>
#include <memory>

#include "app/document/document.h"

namespace hw::app {

/// Lives on the GUI thread; lowers the graph on a thread of its own. Edits that come fast are looked at once.
class PassMarks : public QObject {
  Q_OBJECT

 public:
  /// `document` outlives it; `device`: by id.
  PassMarks(const Document& document, std::shared_ptr<Assets> assets, QString device, QObject* parent = nullptr);
  ~PassMarks() override;  // waits for what is being looked at

  /// A sentence a node that passes change, by the id of its card: a group's stands for the nodes in it. None while the
  /// graph has errors.
  const QHash<QString, QString>& texts() const { return texts_; }
  bool busy() const { return busy_; }
  /// Looks soon at what would run on this device, by id.
  void setDevice(const QString& device);

 Q_SIGNALS:
  void changed();

 private:
  void look();
  void setTexts(const QHash<QString, QString>& texts);

  const Document& document_;
  std::shared_ptr<Assets> assets_;
  QString device_;
  QHash<QString, QString> texts_;
  bool busy_ = false, again_ = false;
  QTimer soon_;
  QThreadPool work_;
};

}  // namespace hw::app
