#include "tests/fuzz/onnx_trial.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "app/interop/onnx/group_scopes.h"
#include "app/interop/onnx/import_graph.h"
#include "app/interop/onnx/lay_out_nodes.h"
#include "app/interop/onnx/onnx_bytes.h"
#include "app/interop/onnx/parse_onnx.h"
#include "engine/graph/groups/flatten.h"
#include "engine/graph/weights/foreign_names.h"
#include "engine/io/graph/graph_file.h"

namespace hw::fuzz {
namespace {

namespace fs = std::filesystem;
using interop::OnnxModel;

/// Reports the first requirement that does not hold.
class Judge {
 public:
  Judge(OnnxTrial& trial, bool verbose) : trial_(trial), verbose_(verbose) {}

  void say(const std::string& what) const {
    if (verbose_) std::printf("%s\n", what.c_str());
  }
  void require(bool holds, const std::string& what) {
    if (holds) return;
    say("broken: " + what);
    if (!trial_.broken[0]) std::snprintf(trial_.broken, sizeof trial_.broken, "%s", what.c_str());
  }
  void require_useful(const Error& e, const std::string& from) {
    say(from + ": " + e.text());
    require(!e.code.empty() && !e.reason.empty(), from + " refused without a code or a reason: " + e.text());
  }

 private:
  OnnxTrial& trial_;
  bool verbose_;
};

/// What was parsed, as the child's parent gets it.
Result<OnnxModel> handed_over(const Result<OnnxModel>& parsed, const fs::path& file) {
  const int fd = ::memfd_create("fuzz", MFD_CLOEXEC);
  interop::write_onnx_bytes(fd, parsed);
  std::string bytes(static_cast<size_t>(::lseek(fd, 0, SEEK_END)), '\0');
  const bool read = ::pread(fd, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size());
  ::close(fd);
  HW_TRY(TensorFile opened, TensorFile::open(file));
  return interop::read_onnx_bytes(read ? bytes : "", file, std::make_shared<const TensorFile>(std::move(opened)));
}

void try_graph(const Graph& graph, const std::string& which, Judge& judge) {
  const auto again = parse_graph(write_graph(graph), "again.halfwire");
  judge.require(static_cast<bool>(again), which + " cannot be read again" + (again ? "" : ": " + again.error().text()));
  judge.require(!again || *again == graph, which + " is another one when it is read again");
  Validator validator;
  validator.reset(graph);
  for (const Diagnostic& d : validator.all())
    judge.require(!d.code.empty() && !d.reason.empty(), "a diagnostic says why");
}

}  // namespace

OnnxTrial try_onnx(const fs::path& file, bool in_child, bool verbose) {
  OnnxTrial trial;
  Judge judge(trial, verbose);
  const auto parsed = interop::parse_onnx(file);
  if (in_child) {
    const auto from_child = interop::read_onnx(file);
    judge.require(static_cast<bool>(from_child) == static_cast<bool>(parsed) &&
                      (from_child || from_child.error().text() == parsed.error().text()),
                  "the child says: " + (from_child ? "read" : from_child.error().text()) +
                      "; the parser: " + (parsed ? "read" : parsed.error().text()));
  }
  if (!parsed) return judge.require_useful(parsed.error(), "parsing"), trial;
  trial.read = true;
  const auto model = handed_over(parsed, file);
  if (!model) {
    judge.require(false, "what was parsed does not come back: " + model.error().text());
    return trial;
  }
  for (const auto& [name, stored] : model->graph.initializers)
    if (const auto tensor = stored.read(); !tensor) judge.require_useful(tensor.error(), "reading a weight");
  const auto made = interop::import_graph(*model);
  if (!made) return judge.require_useful(made.error(), "importing"), trial;
  trial.imported = true;
  trial.whole = made->missing.empty();
  for (const std::string& line : interop::missing_lines(*made)) judge.say("missing: " + line);
  for (const interop::MissingOperator& m : made->missing)
    judge.require(!m.reason.empty(), m.op + " is missing without a reason");
  judge.say(interop::limits_text(*made));
  interop::ImportedModel flat = *made;
  interop::lay_out_model(flat);
  try_graph(flat.graph, "the flat graph", judge);
  interop::ImportedModel grouped = interop::with_groups(std::move(flat));
  try_graph(grouped.graph, "the graph with groups", judge);
  (void)with_foreign_names(hw::flatten(grouped.graph), std::move(grouped.weights));
  return trial;
}

}  // namespace hw::fuzz
