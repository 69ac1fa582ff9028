#include "app/document/weights_beside.h"

#include <QFileInfo>

#include "app/document/text.h"
#include "engine/core/exceptions.h"
#include "engine/graph/weights/foreign_names.h"
#include "engine/io/checkpoint/checkpoint_file.h"
#include "engine/io/tensor/weights_file.h"

namespace hw::app {
namespace {

void add_states(WeightsBeside& beside, const std::filesystem::path& weights) {
  const std::filesystem::path file = optimiser_file(weights);
  std::error_code ec;
  if (!std::filesystem::exists(file, ec)) return;
  auto read = guarded_at(file.string(), [&] { return read_checkpoint(file); });
  if (!read) {
    beside.problem = read.error();
  } else if (has_optimiser(weights) && read->unsound.empty()) {
    beside.states = std::make_shared<const Checkpoint>(std::move(*read));
  } else {
    beside.problem =
        Error{codes::weights_mismatch, file.string(), "the optimiser's state does not belong to the weights beside it.",
              "The weights are used; training begins with a new optimiser."};
  }
}

}  // namespace

QString weights_file(const QString& graphPath) {
  const QFileInfo graph(graphPath);
  return graph.path() + QLatin1Char('/') + graph.completeBaseName() + QStringLiteral(".safetensors");
}

Status may_read_weights(const Reach& reach, const QString& file) {
  HW_CHECK(reach.check(to_path(file), file.toStdString()));
  const QString optimiser = QString::fromStdU16String(optimiser_file(to_path(file)).u16string());
  return QFileInfo::exists(optimiser) ? reach.check(to_path(optimiser), optimiser.toStdString()) : ok();
}

Result<WeightsBeside> read_weights_beside(const QString& file) {
  HW_TRY(WeightsFile read, read_weights(to_path(file)));
  HW_CHECK(copy_mapped(read.tensors, to_path(file)));
  WeightsBeside beside{std::move(read.tensors), {}, {}};
  add_states(beside, to_path(file));
  return beside;
}

Status save_weights_beside(const Graph& flat, const Weights& weights, const Checkpoint* states, const QString& file) {
  const std::filesystem::path path = to_path(file);
  const WeightsFile whole{with_foreign_names(flat, states && states->weights ? *states->weights : weights),
                          {{"format", "halfwire"}, {kChecksum, ""}}};
  HW_CHECK(save_weights(whole, path));
  if (!states) {
    std::error_code ignored;
    std::filesystem::remove(optimiser_file(path), ignored);
    return ok();
  }
  Checkpoint kept = *states;
  kept.of_weights = checksum_of(whole);
  return save_checkpoint(kept, optimiser_file(path));
}

Status copy_weights_beside(const QString& from, const QString& to) {
  const std::filesystem::path source = to_path(from), target = to_path(to);
  std::error_code ec;
  for (const auto& [old, made] :
       {std::pair(source, target), std::pair(optimiser_file(source), optimiser_file(target))}) {
    if (old != source && !std::filesystem::exists(old, ec)) continue;
    std::filesystem::path part = made;
    part += ".part";
    std::filesystem::copy_file(old, part, std::filesystem::copy_options::overwrite_existing, ec);
    if (!ec) std::filesystem::rename(part, made, ec);
    if (!ec) continue;
    std::error_code ignored;
    std::filesystem::remove(part, ignored);
    return Error{codes::file_unwritable, made.string(),
                 "the weights of " + old.string() + " could not be copied: " + ec.message() + ".",
                 "They are still in that file; save again once there is room."};
  }
  return ok();
}

Result<QString> set_weights_aside(const QString& file) {
  if (!QFileInfo(file).isFile()) return QString();
  const QString stem = file.chopped(QStringLiteral("safetensors").size()) + QStringLiteral("previous");
  QString aside = stem + QStringLiteral(".safetensors");
  for (int n = 2; QFileInfo::exists(aside); ++n) aside = QStringLiteral("%1-%2.safetensors").arg(stem).arg(n);
  // Both or none: once the first is renamed, nothing asks for memory.
  const std::filesystem::path weights = to_path(file), weights_aside = to_path(aside);
  const std::filesystem::path states = optimiser_file(weights), states_aside = optimiser_file(weights_aside);
  std::error_code ec, ignored;
  std::filesystem::rename(weights, weights_aside, ec);
  if (ec)
    return Error{codes::file_unwritable, file.toStdString(),
                 "the weights of another graph lie there, and could not be renamed: " + ec.message() + ".",
                 "Move them away, or save under another name."};
  std::filesystem::rename(states, states_aside, ignored);
  return aside;
}

}  // namespace hw::app
