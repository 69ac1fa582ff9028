// InputValues: what the active Input is evaluated with in place of its example: a file, a picture, a drawing.
#pragma once

#include <QImage>
#include <QObject>
#include <QSize>
#include <QThreadPool>
#include <QUrl>
#include <variant>

#include "app/document/document.h"
#include "app/models/run/evaluation.h"
#include "engine/field/given_input.h"

namespace hw::app {

/// For looking only: no part of the document, of its undo or of training; gone when it is closed. Follows the document:
/// a value that no longer fits its Input waits until it does. GUI thread; files are read on a worker thread.
class InputValues : public QObject {
  Q_OBJECT
  /// The active node is an Input that takes one: of a tensor, outside of groups, not wired.
  Q_PROPERTY(bool offered READ offered NOTIFY changed)
  /// What it is given: "", the name of a file, "Drawing"; and why that does not fit, or "".
  Q_PROPERTY(QString given READ given NOTIFY changed)
  Q_PROPERTY(QString problem READ problem NOTIFY changed)
  /// Pixels of a picture that it takes; empty: it takes none.
  Q_PROPERTY(QSize pictureSize READ pictureSize NOTIFY changed)
  /// The drawing that it is given; null: none.
  Q_PROPERTY(QImage drawing READ drawing NOTIFY changed)

 public:
  using Value = std::variant<QImage, Tensor>;

  /// Both outlive it.
  InputValues(Document& document, Evaluation& evaluation, QObject* parent = nullptr);
  ~InputValues() override;  // waits for a file that is being read

  bool offered() const;
  QString given() const;
  QString problem() const;
  QSize pictureSize() const;
  QImage drawing() const;
  /// An array (.npy), or a picture, which is scaled, once it is read; problem() says why it cannot be taken. The last
  /// file or drawing that an Input is given counts.
  Q_INVOKABLE void setFile(const QUrl& file);
  /// White on black, of any size.
  Q_INVOKABLE void setDrawing(const QImage& drawing);
  /// Back to the example.
  Q_INVOKABLE void clear();

 Q_SIGNALS:
  void changed();

 private:
  struct Source {
    QString name;
    Value value;
    bool drawn = false;
    uint64_t version = 0;
  };
  /// What the Input at this path declares; nothing: it takes no value.
  std::optional<WireType> declared(const std::string& path) const;
  std::string active() const { return document_.activePath().toStdString(); }
  const Source* source() const;
  void set(const std::string& input, Source source);
  Result<Tensor> value_of(const Source& source, const WireType& type, const std::string& path) const;
  /// Hands over what fits.
  void hand_over();

  Document& document_;
  Evaluation& evaluation_;
  std::map<std::string, Source> sources_;     // by path
  std::map<std::string, QString> problems_;   // of those that do not fit, and of files that were refused
  std::map<std::string, uint64_t> requests_;  // the file that is being read and counts, by path
  QThreadPool work_;
};

}  // namespace hw::app
