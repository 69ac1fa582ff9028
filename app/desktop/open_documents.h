// OpenDocuments: the documents that are open, in the order of their tabs, and the one that is shown.
#pragma once

#include <QAbstractListModel>
#include <QTimer>
#include <QUrl>
#include <memory>
#include <vector>

#include "app/desktop/document_context.h"
#include "app/desktop/model_imports.h"

namespace hw::app {

/// Owns the contexts; there is always at least one. GUI thread.
class OpenDocuments : public QAbstractListModel {
  Q_OBJECT
  Q_PROPERTY(int count READ count NOTIFY countChanged)
  Q_PROPERTY(int current READ current WRITE setCurrent NOTIFY currentChanged)
  /// The sizes of the ONNX model that is asked about.
  Q_PROPERTY(hw::app::SizesModel* sizes READ sizes CONSTANT)
  /// The name of the ONNX model that is read for the shown document; "": none is.
  Q_PROPERTY(QString reading READ reading NOTIFY readingChanged)

 public:
  enum Role { TitleRole = Qt::UserRole + 1, PathRole, ModifiedRole, StateRole, ProgressRole };

  /// `recoveryFolder`: where unsaved changes are kept while they are.
  explicit OpenDocuments(const QString& recoveryFolder, QObject* parent = nullptr);
  ~OpenDocuments() override;

  int count() const { return static_cast<int>(open_.size()); }
  int current() const { return current_; }
  void setCurrent(int row);
  DocumentContext* context() const { return at(current_); }
  SizesModel* sizes() { return imports_.sizes(); }
  QString reading() const;
  DocumentContext* at(int row) const { return open_[static_cast<size_t>(row)].get(); }

  /// An empty document, which becomes the current one.
  Q_INVOKABLE void add();
  /// Opens a file and shows it: where it is open already, in an untouched document, or in one of its own. A model of
  /// ONNX (.onnx) becomes a document without a file, which fills once the model is read, and its sizes are known: see
  /// sizes(). False: refused.
  Q_INVOKABLE bool open(const QUrl& file);
  /// Closes without a question; its run is stopped. In place of the last one an empty document is made.
  Q_INVOKABLE void close(int row);
  /// Brings back what earlier programs could not save, each in a document of its own; recovered() follows.
  void recover();
  /// Unsaved changes of all documents are given up.
  Q_INVOKABLE void giveUp();
  /// The next document, or the one before (−1), around the end.
  Q_INVOKABLE void cycle(int step);
  /// The first document with unsaved changes at or after a row; −1: none.
  Q_INVOKABLE int modifiedFrom(int row) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QHash<int, QByteArray> roleNames() const override;

 Q_SIGNALS:
  void countChanged();
  /// Another document is shown, maybe in the same row.
  void currentChanged();
  void readingChanged();
  /// A document, shown or not, refused an operation.
  void refused(const QString& code, const QString& reason, const QString& remedy);
  /// A model was read, and there is something to know of it; the rows of its problems say all.
  void noted(const QString& what, const QString& more);
  /// A run failed; empty code: the failure is over. Of a document that is not shown the reason begins with its title.
  void failed(const QString& code, const QString& reason, const QString& remedy);
  /// A file that the shown document's nodes name has changed on disk and was read again.
  void fileReloaded(const QString& name, bool running);
  /// Documents that were closed are gone, with all that they held. `nodes`: of the largest graph.
  void dropped(int nodes);
  /// Weights or a model were read, or weights written: what memory that took besides is free.
  void memoryFreed();
  /// Titles of documents whose unsaved changes were brought back, and when the last change was made.
  void recovered(const QString& titles, const QString& when);
  /// A document was loaded from or saved as this file.
  void fileUsed(const QString& path);

 private:
  std::unique_ptr<DocumentContext> make();
  DocumentContext* contextFor(const UnsavedGraph& unsaved);
  int insert(int row, std::unique_ptr<DocumentContext> context);
  int rowOf(const DocumentContext* context) const;
  bool isLeaving(const DocumentContext* context) const;
  QString placed(const DocumentContext* context, const QString& reason) const;
  void bringBack(const DocumentContext* context);
  void notifyRow(const DocumentContext* context, const QVector<int>& roles);
  void dropQuiet();
  void importModel(const QString& path);
  void fill(Document* document, const QString& name, interop::ImportedModel& model);
  void note(const Document* document, const std::vector<std::string>& notes);
  void takeBack(const Document* document);
  Recovery recovery_;
  std::vector<std::unique_ptr<DocumentContext>> open_;
  std::vector<std::unique_ptr<DocumentContext>> leaving_;  // closed, but a worker thread still uses it
  QTimer leave_{this};
  // Documents that models are read for, and what was shown before each: itself, or another.
  std::map<const Document*, QPointer<DocumentContext>> awaited_;
  ModelImports imports_;
  int current_ = 0;
};

}  // namespace hw::app
