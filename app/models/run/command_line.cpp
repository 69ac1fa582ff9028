#include "app/models/run/command_line.h"

#include <QRegularExpression>
#include <algorithm>
#include <charconv>

#include "app/document/text.h"
#include "app/workspace/weights.h"
#include "app/workspace/weights_beside.h"
#include "engine/core/codes.h"
#include "engine/graph/groups/flatten.h"
#include "engine/graph/node_fields.h"
#include "engine/io/graph/graph_file.h"
#include "engine/plan/train_settings.h"

namespace hw::app {
namespace {

/// One word for a shell.
QString quoted(const QString& word) {
  static const QRegularExpression plain(QStringLiteral("^[A-Za-z0-9_./:=,+-]+$"));
  if (plain.match(word).hasMatch()) return word;
  return QLatin1Char('\'') + QString(word).replace(QLatin1Char('\''), QStringLiteral("'\\''")) + QLatin1Char('\'');
}

std::string shortest(double value) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  return {text, end};
}

/// Whether a graph computes what its file does once options have set what they can: values of parameters, and devices
/// of nodes. same_structure of a training plan asks for more: that values of all but live parameters are the same.
bool same_but_options(const Graph& graph, const Graph& saved) {
  return graph.links() == saved.links() &&
         std::ranges::equal(graph.nodes(), saved.nodes(), [](const auto& one, const auto& other) {
           Node was = other.second;
           if (!one.second.device.empty()) was.device = one.second.device;
           return equal_in(NodeFields::computation, one.second, was);
         });
}

}  // namespace

std::string param_text(const ParamValue& value) {
  struct Visit {
    std::string operator()(bool v) const { return v ? "true" : "false"; }
    std::string operator()(int64_t v) const { return std::to_string(v); }
    std::string operator()(double v) const { return shortest(v); }
    std::string operator()(const std::string& v) const { return v; }
    std::string operator()(const std::vector<double>& v) const {
      std::string text;
      for (const double x : v) text += (text.empty() ? "" : ",") + shortest(x);
      return text;
    }
  };
  return std::visit(Visit{}, value);
}

Result<QString> train_command(const Document& document, const QString& device) {
  const Graph& graph = document.flat();
  HW_TRY(const std::string trainer, find_trainer(graph));
  if (document.path().isEmpty()) {
    return Error{codes::file_unreadable, "", "The graph has no file that a command could name.", "Save it first."};
  }
  HW_TRY(const Graph file, read_graph(std::filesystem::path(document.path().toStdU16String())));
  const Graph saved = flatten(file);
  if (!same_but_options(graph, saved)) {
    return Error{codes::file_unreadable, "", "The graph differs from its file in more than options can say.",
                 "Save it first."};
  }
  QStringList words{QStringLiteral("halfwire-cli"), QStringLiteral("train"), document.path()};
  for (const auto& [id, node] : graph.nodes()) {
    const NodeType* type = Registry::instance().find(node.type);
    for (const ParamDecl& param : type ? type->decl.params() : std::vector<ParamDecl>()) {
      const ParamValue now = param_value(node, param.id);
      if (now == param_value(*saved.find(id), param.id)) continue;
      if (id == trainer && param.id == "steps") continue;
      words << QStringLiteral("--set") << to_q(id + "." + param.id + "=" + param_text(now));
    }
    if (node.device != saved.find(id)->device) words << QStringLiteral("--pin") << to_q(id + "=" + node.device);
  }
  const TrainSettings settings = train_settings(*graph.find(trainer));
  words << QStringLiteral("--steps") << QString::number(settings.steps) << QStringLiteral("--device") << device;
  if (const QString weights = document.weights()->savedFile(); !weights.isEmpty()) {
    words << QStringLiteral("--weights") << weights;
  } else if (std::error_code ec; std::filesystem::exists(workspace::weights_file(to_path(document.path())), ec)) {
    words << QStringLiteral("--weights") << QLatin1String(workspace::kNoWeights);  // the run would begin with those
  }
  for (QString& word : words) word = quoted(word);
  return words.join(QLatin1Char(' '));
}

}  // namespace hw::app
