// DTypeCards: the number formats, and what this machine computes their products in.
#pragma once

#include <QObject>
#include <QThreadPool>
#include <QVariantList>

namespace hw::app {

/// GUI thread; the kernels are looked up on a worker.
class DTypeCards : public QObject {
  Q_OBJECT
  /// {name, code, token, bits, layout ("1 + 5 + 10": sign, exponent, mantissa), max, epsilon, smallestNormal, smallest,
  /// specials, products (compute dtype, dtype of sums, kernel)} of each dtype; "–" where a dtype has no such thing.
  Q_PROPERTY(QVariantList cards READ cards NOTIFY changed)

 public:
  explicit DTypeCards(QObject* parent = nullptr);
  ~DTypeCards() override;

  const QVariantList& cards() const { return cards_; }
  /// Fills `products` in, the first time; the rest is always there.
  Q_INVOKABLE void load();

 Q_SIGNALS:
  void changed();

 private:
  QVariantList cards_;
  bool asked_ = false;
  QThreadPool work_;
};

}  // namespace hw::app
