// ProblemReport: a zip of text files for a bug report. The user sees its contents before it is written.
#pragma once

#include <QObject>
#include <QThreadPool>
#include <QUrl>
#include <QVariantList>

namespace hw::app {

class DocumentContext;

/// GUI thread; files are written on a worker.
class ProblemReport : public QObject {
  Q_OBJECT
  Q_PROPERTY(bool busy READ busy NOTIFY busyChanged)

 public:
  explicit ProblemReport(QObject* parent = nullptr);
  ~ProblemReport() override;

  bool busy() const { return busy_; }
  void setContext(DocumentContext* context) { context_ = context; }
  /// {id, title, detail, ticked} of what there is to put in: "graph", "log", "devices", and, not ticked, "weights".
  Q_INVOKABLE QVariantList contents() const;
  /// Writes what is chosen into a new zip in the folder `parent`; done() or failed() follows.
  Q_INVOKABLE void write(const QUrl& parent, const QStringList& chosen);

 Q_SIGNALS:
  void busyChanged();
  void done(const QUrl& file);
  void failed(const QString& code, const QString& reason, const QString& remedy);

 private:
  DocumentContext* context_ = nullptr;
  bool busy_ = false;
  QThreadPool work_;
};

}  // namespace hw::app
