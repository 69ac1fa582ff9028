// RecentFiles: the graphs that were opened or saved last, newest first, remembered between sessions.
#pragma once

#include <QObject>
#include <QStringList>
#include <QVariantList>

namespace hw::app {

/// Kept in the program's settings. GUI thread.
class RecentFiles : public QObject {
  Q_OBJECT
  /// {title, folder, url} of those that are still there.
  Q_PROPERTY(QVariantList files READ files NOTIFY changed)

 public:
  explicit RecentFiles(QObject* parent = nullptr);

  QVariantList files() const;
  void note(const QString& path);
  Q_INVOKABLE void clear();

 Q_SIGNALS:
  void changed();

 private:
  void keep();
  QStringList paths_;
};

}  // namespace hw::app
