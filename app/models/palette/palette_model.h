// PaletteModel: what can be put on the canvas, by category; or what fits what was typed, best first.
#pragma once

#include <QAbstractListModel>
#include <QPointer>
#include <vector>

#include "app/document/document.h"
#include "app/models/palette/library.h"
#include "app/models/palette/placeable.h"

namespace hw::app {

/// Node types, groups of the document that is shown, and blocks. GUI thread.
class PaletteModel : public QAbstractListModel {
  Q_OBJECT
  Q_PROPERTY(QString filter READ filter WRITE setFilter NOTIFY filterChanged)
  Q_PROPERTY(int count READ count NOTIFY countChanged)

 public:
  enum Role {
    TypeRole = Qt::UserRole + 1,  // its key
    TitleRole,
    CategoryRole,
    SummaryRole,
    OriginRole,  // "type", "document", "library", "own"
  };

  explicit PaletteModel(Library& library, QObject* parent = nullptr);

  /// The document whose groups are listed; null: none.
  void setDocument(Document* document);
  const QString& filter() const { return filter_; }
  void setFilter(const QString& filter);
  int count() const { return static_cast<int>(rows_.size()); }
  /// The key in a row; "" outside.
  Q_INVOKABLE QString typeAt(int row) const;
  /// Whether a group of the document has no instance, so that its definition can go.
  Q_INVOKABLE bool isUnused(const QString& key) const;
  /// Takes the definition of such a group out of the document.
  Q_INVOKABLE void removeGroup(const QString& key);

  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QHash<int, QByteArray> roleNames() const override;

 Q_SIGNALS:
  void filterChanged();
  void countChanged();

 private:
  void refresh();
  void follow();

  Library& library_;
  QPointer<Document> document_;
  std::map<std::string, std::shared_ptr<const Group>, std::less<>>
      groups_;  // of the document, when they were last read
  QString filter_;
  std::vector<Placeable> all_, rows_;
};

}  // namespace hw::app
