#include "app/models/text/calculator.h"

#include <limits>

#include "app/document/text.h"
#include "engine/expression/calculation.h"

namespace hw::app {

double Calculator::value(const QString& text, double now) const {
  return expression::calculated(to_std(text), now).value_or(std::numeric_limits<double>::quiet_NaN());
}

}  // namespace hw::app
