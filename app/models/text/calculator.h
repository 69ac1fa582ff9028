// Calculator: numbers that users type, as QML asks for them.
#pragma once

#include <QObject>

namespace hw::app {

/// Has no state: any thread.
class Calculator : public QObject {
  Q_OBJECT

 public:
  using QObject::QObject;
  /// The number that the user typed: a calculation, or one on the present value `now` ("+=4"); NaN for other text.
  Q_INVOKABLE double value(const QString& text, double now) const;
};

}  // namespace hw::app
