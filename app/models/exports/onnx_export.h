// OnnxExport: writes what the document's Outputs are made of as a model of ONNX, and lists what is in the way before.
#pragma once

#include <QAbstractListModel>
#include <QStringList>
#include <QThreadPool>
#include <QUrl>

#include "app/document/document.h"
#include "app/interop/onnx/export_graph.h"

namespace hw::app {

/// A row a node that cannot be exported with the opset that is chosen, in evaluation mode. GUI thread; the graph is
/// checked and written on a worker, for which the destructor alone waits.
class OnnxExport : public QAbstractListModel {
  Q_OBJECT
  /// It checks the graph, or writes.
  Q_PROPERTY(bool busy READ busy NOTIFY changed)
  Q_PROPERTY(bool writing READ writing NOTIFY changed)
  /// Nothing is in the way: a file can be written, again where that failed.
  Q_PROPERTY(bool ready READ ready NOTIFY changed)
  /// Why there is nothing to export; "" where there is something.
  Q_PROPERTY(QString problem READ problem NOTIFY changed)
  /// Why the last file was not written; "" where it was, and before.
  Q_PROPERTY(QString failure READ failure NOTIFY changed)
  /// The opsets that can be chosen, oldest first.
  Q_PROPERTY(QStringList opsets READ opsets CONSTANT)
  /// Which of them is.
  Q_PROPERTY(int choice READ choice WRITE setChoice NOTIFY changed)
  /// Groups become local functions.
  Q_PROPERTY(bool functions READ functions WRITE setFunctions NOTIFY changed)
  Q_PROPERTY(bool hasGroups READ hasGroups NOTIFY changed)
  /// What was written last; "" before.
  Q_PROPERTY(QString file READ file NOTIFY changed)
  /// "12 operators, opset 17"; "" before.
  Q_PROPERTY(QString summary READ summary NOTIFY changed)
  /// Notes for the user about the file.
  Q_PROPERTY(QStringList notes READ notes NOTIFY changed)

 public:
  enum Roles {
    NodeRole = Qt::UserRole,  // its name; "" where it is none
    ReasonRole,
    RemedyRole,
  };
  OnnxExport(Document& document, std::shared_ptr<Assets> assets, QObject* parent = nullptr);
  ~OnnxExport() override;

  /// Finds what is in the way, of the graph as it is now.
  Q_INVOKABLE void look();
  /// Writes the file, with what the graph has learnt by now.
  Q_INVOKABLE void start(const QUrl& file);
  /// Shows a row's node on the canvas.
  Q_INVOKABLE void reveal(int row);

  bool busy() const { return looking_ || writing_; }
  bool writing() const { return writing_; }
  bool ready() const { return !busy() && problem_.isEmpty() && rows_.empty(); }
  const QString& problem() const { return problem_; }
  const QString& failure() const { return failure_; }
  QStringList opsets() const;
  int choice() const { return static_cast<int>(opset_ - interop::kFirstWrittenOpset); }
  void setChoice(int choice);
  bool functions() const { return functions_; }
  void setFunctions(bool on);
  bool hasGroups() const { return !document_.graph().groups().empty(); }
  const QString& file() const { return file_; }
  const QString& summary() const { return summary_; }
  const QStringList& notes() const { return notes_; }

  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QHash<int, QByteArray> roleNames() const override;

 Q_SIGNALS:
  void changed();

 private:
  struct Request;
  struct Written;
  /// Error: nothing can be exported as things are.
  Result<std::shared_ptr<const Request>> request() const;
  void forget();
  void forgetDocument();
  void show(std::vector<Error> refused);
  void finish(const QString& file, const Result<std::shared_ptr<Written>>& result);

  Document& document_;
  std::shared_ptr<Assets> assets_;
  int64_t opset_ = interop::kFirstWrittenOpset;
  bool functions_ = false;
  std::vector<Error> rows_;
  QString problem_, failure_, file_, summary_;
  QStringList notes_;
  bool looking_ = false, writing_ = false;
  bool again_ = false;     // requested during a check, or for a graph that is gone
  bool replaced_ = false;  // it writes what was there before another document
  QThreadPool work_;       // one thread
};

}  // namespace hw::app
