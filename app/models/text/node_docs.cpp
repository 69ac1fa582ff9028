#include "app/models/text/node_docs.h"

#include <QStringList>

#include "app/document/text.h"
#include "app/models/text/format.h"
#include "engine/core/dtype_card.h"

namespace hw::app {
namespace {

QString escaped(std::string_view text) {
  return to_q(text).replace(QLatin1Char('|'), QStringLiteral("\\|"));
}

/// A heading and its lines, in pieces of few lines: each is laid out at once.
void add_list(QStringList& out, const QString& heading, const QStringList& lines) {
  constexpr qsizetype kLines = 2;
  for (qsizetype i = 0; i < lines.size(); i += kLines) {
    out.append((i == 0 ? QStringLiteral("#### %1\n\n").arg(heading) : QString()) +
               lines.mid(i, kLines).join(QLatin1Char('\n')));
  }
}

QStringList socket_lines(const NodeDecl& decl, const std::vector<SocketDecl>& sockets) {
  QStringList lines;
  for (const SocketDecl& s : sockets) {
    QString type = s.any_kind               ? QStringLiteral("anything")
                   : s.kind != Kind::tensor ? to_q(name(s.kind))
                                            : dtype_rule_text(decl, s.dtype);
    if (!s.axes.empty()) type += QStringLiteral(" [%1]").arg(to_q(s.axes));
    if (s.optional) type += QStringLiteral(", optional");
    lines.append(QStringLiteral("- **%1** (%2) %3").arg(escaped(s.label), type, escaped(s.doc)));
  }
  return lines;
}

}  // namespace

QString dtype_rule_text(const NodeDecl& decl, const DTypeRule& rule) {
  QStringList names;
  for (const DType dtype : rule.dtypes) names.append(to_q(name(dtype)));
  switch (rule.kind) {
    case DTypeRule::Kind::any:
      return QStringLiteral("any dtype");
    case DTypeRule::Kind::one_of:
      return names.join(QLatin1Char(' '));
    case DTypeRule::Kind::group:
      return names.isEmpty() ? QStringLiteral("any dtype, the same for all") : names.join(QLatin1Char(' '));
    case DTypeRule::Kind::parameter: {
      const ParamDecl* param = decl.find_param(rule.name);
      return QStringLiteral("as parameter %1").arg(to_q(param ? param->label : rule.name));
    }
  }
  return {};
}

QStringList node_docs(const NodeDecl& decl) {
  QStringList out{QStringLiteral("**%1**").arg(to_q(decl.summary()))};
  if (!decl.doc().empty()) out.append(to_q(decl.doc()));
  add_list(out, QStringLiteral("Inputs"), socket_lines(decl, decl.inputs()));
  add_list(out, QStringLiteral("Outputs"), socket_lines(decl, decl.outputs()));
  QStringList params, weights;
  for (const ParamDecl& p : decl.params()) {
    const std::string standard = p.default_means.empty() ? to_string(p.value) : p.default_means;
    params.append(QStringLiteral("- **%1** (%2%3) %4")
                      .arg(escaped(p.label), escaped(standard),
                           p.unit.empty() ? QString() : QLatin1Char(' ') + escaped(p.unit), escaped(p.doc)));
  }
  for (const WeightDecl& w : decl.weights())
    weights.append(QStringLiteral("- **%1** %2").arg(escaped(w.id), escaped(w.doc)));
  add_list(out, QStringLiteral("Parameters"), params);
  add_list(out, QStringLiteral("Weights"), weights);
  if (!decl.source().empty()) add_list(out, QStringLiteral("Source"), {to_q(decl.source())});
  return out;
}

QString dtype_facts(std::string_view dtype) {
  const auto known = dtype_from_name(dtype);
  if (!known) return {};
  const DTypeInfo& row = info(*known);
  QString text = QStringLiteral("%1\u00a0bit, max\u00a0%2").arg(bits_of(row)).arg(format_number(row.max, 5));
  if (row.is_float) {
    text += QStringLiteral(", smallest normal\u00a0%1, smallest\u00a0%2, ε\u00a0%3")
                .arg(format_number(row.min_normal, 2), format_number(row.min_subnormal, 2),
                     format_number(epsilon_of(row), 2));
  }
  return text;
}

}  // namespace hw::app
