// ParityModel: the document's graph on two devices, op by op, or beside tensors that another program wrote; and both
// values of one row as pictures.
#pragma once

#include <QUrl>

#include "app/models/checks/verdict_model.h"
#include "app/models/tensors/tensor_image_model.h"

namespace hw::app {

class RunModel;

/// parity() over three steps, at a reduced size; or compare_with_dump(), on the device that runs train on.
class ParityModel : public VerdictModel {
  Q_OBJECT
  /// "ref and cpu", "cpu: 1 and 2 threads", …; last the dump, once there is one.
  Q_PROPERTY(QStringList pairs READ pairs NOTIFY pairChanged)
  Q_PROPERTY(int pair READ pair WRITE setPair NOTIFY pairChanged)
  /// The pair is the dump.
  Q_PROPERTY(bool dumpChosen READ dumpChosen NOTIFY pairChanged)
  /// The report is of a dump: its rows say how tensors found their wires, in place of the pass.
  Q_PROPERTY(bool ofDump READ ofDump NOTIFY reportChanged)
  /// What the first device made of the row that is shown, or the dump has, what the second made, and |b − a|.
  Q_PROPERTY(hw::app::TensorImageModel* first READ first CONSTANT)
  Q_PROPERTY(hw::app::TensorImageModel* second READ second CONSTANT)
  Q_PROPERTY(hw::app::TensorImageModel* difference READ difference CONSTANT)
  Q_PROPERTY(QString firstName READ firstName NOTIFY shownChanged)
  Q_PROPERTY(QString secondName READ secondName NOTIFY shownChanged)
  /// "MLP, y: within"; "" when no row is shown.
  Q_PROPERTY(QString shown READ shown NOTIFY shownChanged)
  /// Why there are no pictures of it; "" where there are.
  Q_PROPERTY(QString noPicture READ noPicture NOTIFY shownChanged)

 public:
  ParityModel(Document& document, RunModel& run, std::shared_ptr<Assets> assets, QObject* parent = nullptr);

  const CheckInfo& info() const override { return kParityCheck; }
  QStringList pairs() const;
  int pair() const { return pair_; }
  /// Not while it compares.
  void setPair(int pair);
  /// Compares with the tensors of a .npz file, a .npy file or a folder of these, which the pair is then. Not while it
  /// compares.
  Q_INVOKABLE void against(const QUrl& dump);
  bool dumpChosen() const;
  bool ofDump() const { return report().of_dump; }
  TensorImageModel* first() { return &first_; }
  TensorImageModel* second() { return &second_; }
  TensorImageModel* difference() { return &difference_; }
  const QString& firstName() const { return report().a; }
  const QString& secondName() const { return report().b; }
  const QString& shown() const { return shown_; }
  const QString& noPicture() const { return no_picture_; }

  /// −1: none.
  Q_INVOKABLE void show(int index);

 Q_SIGNALS:
  void pairChanged();
  void shownChanged();

 protected:
  Work work() const override;
  void clear() override;

 private:
  Work onDevices() const;
  Work besideDump() const;

  RunModel& run_;
  TensorImageModel first_, second_, difference_;
  QString shown_, no_picture_;
  QString dump_;  // file or folder; empty: none was chosen
  int pair_ = 0;
};

}  // namespace hw::app
