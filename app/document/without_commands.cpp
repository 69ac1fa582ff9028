#include "app/document/without_commands.h"

#include <QRegularExpression>

namespace hw::app {

QString without_commands(QString text) {
  static const QRegularExpression commands(QStringLiteral(" \\(on the command line: [^)]*\\)"));
  return text.remove(commands);
}

}  // namespace hw::app
