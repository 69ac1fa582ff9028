// ParityModel: the document's graph on two devices, op by op; and the two devices' values of one row as pictures.
#pragma once

#include "app/models/checks/verdict_model.h"
#include "app/models/tensors/tensor_image_model.h"

namespace hw::app {

/// parity() over three steps, at a reduced size.
class ParityModel : public VerdictModel {
  Q_OBJECT
  /// "ref and cpu", "cpu: 1 and 2 threads", …
  Q_PROPERTY(QStringList pairs READ pairs CONSTANT)
  Q_PROPERTY(int pair READ pair WRITE setPair NOTIFY pairChanged)
  /// Of the row that is shown: what the first device made, what the second made of the same inputs, and |b − a|.
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
  ParityModel(Document& document, std::shared_ptr<Assets> assets, QObject* parent = nullptr);

  const CheckInfo& info() const override { return kParityCheck; }
  QStringList pairs() const;
  int pair() const { return pair_; }
  /// Not while it compares.
  void setPair(int pair);
  TensorImageModel* first() { return &first_; }
  TensorImageModel* second() { return &second_; }
  TensorImageModel* difference() { return &difference_; }
  QString firstName() const;
  QString secondName() const;
  const QString& shown() const { return shown_; }
  const QString& noPicture() const { return no_picture_; }

  /// −1: none.
  Q_INVOKABLE void show(int index);

 Q_SIGNALS:
  void pairChanged();
  void shownChanged();

 protected:
  Work work() const override;

 private:
  TensorImageModel first_, second_, difference_;
  QString shown_, no_picture_;
  int pair_ = 0;
  int compared_ = 0;  // the pair that the report is of
};

}  // namespace hw::app
