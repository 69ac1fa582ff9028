// ProblemsModel: every diagnostic of the document and the failure of the last run, with remedies as buttons; errors
// come first, hints last.
#pragma once

#include <QAbstractListModel>
#include <QPointF>
#include <QTimer>

#include "app/document/document.h"

namespace hw::app {

/// Follows the document, once per turn of the event loop however many edits there were. GUI thread.
class ProblemsModel : public QAbstractListModel {
  Q_OBJECT
  Q_PROPERTY(int count READ count NOTIFY countChanged)
  Q_PROPERTY(int errors READ errors NOTIFY countChanged)
  Q_PROPERTY(int warnings READ warnings NOTIFY countChanged)
  /// The row that F8 or a click last went to; −1: none.
  Q_PROPERTY(int current READ current NOTIFY currentChanged)

 public:
  enum Role {
    SeverityRole = Qt::UserRole + 1,  // "error", "warning", "info"
    CodeRole,
    NodeRole,       // id; "" when it is about the whole graph
    NodeTitleRole,  // label and socket, for the user
    ReasonRole,
    ExpectedRole,
    GotRole,
    RemediesRole,  // labels
  };

  explicit ProblemsModel(Document& document, QObject* parent = nullptr);

  int count() const { return static_cast<int>(rows_.size()); }
  int errors() const { return errors_; }
  int warnings() const { return warnings_; }
  int current() const { return current_; }

  /// Selects the node of a row and asks the canvas to show it.
  Q_INVOKABLE void reveal(int row);
  /// Reveals the next (or previous) problem, around the end.
  Q_INVOKABLE void revealNext(int step = 1);
  /// Where `code` is that of a missing file: what its problem's remedy is called; else, and where there is none, "".
  Q_INVOKABLE QString fileRemedy(const QString& code) const;
  Q_INVOKABLE void applyFileRemedy();
  /// Allows these files that the graph may not read, of those that were asked for.
  Q_INVOKABLE void allowReading(const QStringList& files);
  /// Applies a remedy as one undo step. Of those that are no edits, that of a refused file allows it, one that needs a
  /// file asks for it with fileWanted(), a wire with wireWanted(), one of a run that became Inf or NaN says
  /// badValueWanted(), weights of other names weightMapWanted(), others reveal the row.
  Q_INVOKABLE void apply(int row, int remedy);
  /// The failure of a run, the first of the errors; empty code: none.
  void setRunError(const Error& error);
  /// What the graph's own rules do not see, listed before what they do: files that are not there, wrong gradients.
  void setFindings(const std::vector<Diagnostic>& problems);
  /// Notes about the file that was read, the last of the rows; until another is read.
  void setNotes(const std::vector<std::string>& notes);

  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QHash<int, QByteArray> roleNames() const override;

 Q_SIGNALS:
  void countChanged();
  void currentChanged();
  /// The first Inf or NaN is to be found, or shown.
  void badValueWanted();
  /// The user is to say which tensor is which parameter.
  void weightMapWanted();
  /// The graph refers to files that it may not read; each is reported once.
  void readingAsked(const QStringList& files);
  /// The user is to choose a file for this parameter, or a folder, or one of its files, of a data set.
  void fileWanted(const QString& node, const QString& param, bool folder);
  /// A node is to be added whose output goes into this input of the node at `place`, in canvas units.
  void wireWanted(const QString& node, const QString& input, const QPointF& place);

 private:
  void refresh();
  QString place(const Diagnostic& d) const;
  /// The row of the first problem of a file that is missing; −1: there is none.
  int rowOfMissing() const;
  Document& document_;
  std::vector<Diagnostic> rows_;
  std::optional<Diagnostic> runError_;
  std::vector<Diagnostic> findings_, notes_;
  QSet<QString> asked_;  // files
  QTimer coalesce_{this};
  int errors_ = 0, warnings_ = 0, current_ = -1;
};

}  // namespace hw::app
