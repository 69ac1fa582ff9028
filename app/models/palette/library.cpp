#include "app/models/palette/library.h"

#include <QFile>
#include <QFileInfo>

#include "app/document/text.h"
#include "engine/graph/groups/block.h"
#include "engine/graph/groups/group_interface.h"

namespace hw::app {

Library::Library(std::filesystem::path product, std::filesystem::path own, QObject* parent)
    : QObject(parent), product_(std::move(product)), own_(std::move(own)) {
  connect(&watcher_, &QFileSystemWatcher::directoryChanged, this, &Library::read);
  read();
}

void Library::read() {
  blocks_ = read_block_library(product_, own_);
  const QString folder = to_q(own_.string());
  if (watcher_.directories().isEmpty() && QFileInfo(folder).isDir()) watcher_.addPath(folder);
  Q_EMIT changed();
}

QUrl Library::ownFile(const QString& key) const {
  const Block* block = find_block(blocks_, to_std(key));
  return block && block->own ? QUrl::fromLocalFile(to_q(block->file.string())) : QUrl();
}

bool Library::isTaken(const QString& title) const {
  return QFileInfo::exists(to_q(place_of(title).string()));
}

std::filesystem::path Library::place_of(const QString& title) const {
  return own_ / block_file_name(to_std(title.trimmed()));
}

bool Library::save(Document* document, const QString& node) {
  const Scope& scope = document->shown().scope();
  const Node* instance = scope.graph->find(to_std(node));
  const Group* group = instance ? definition(scope, *instance) : nullptr;
  if (!group) return false;
  std::map<std::string, WireType> inputs;
  for (const Link& link : scope.graph->links_into(instance->id))
    if (const auto type = document->validator().output_type(scope.prefix + link.from, link.from_socket))
      inputs[link.to_socket] = *type;
  Graph file = block_file(document->graph(), *group, inputs);
  file.node(group->id).params = given_node(scope, *instance).params;
  const Status done = save_block(file, place_of(to_q(title_of(*group))));
  if (!done) Q_EMIT refused(to_q(done.error().code), sentence(done.error().reason), to_q(done.error().remedy));
  read();
  return static_cast<bool>(done);
}

void Library::remove(const QString& key) {
  const QString file = ownFile(key).toLocalFile();
  if (file.isEmpty()) return;
  if (!QFile::remove(file))
    Q_EMIT refused(to_q(codes::file_unwritable), tr("%1 cannot be deleted.").arg(file),
                   tr("Look who may write there."));
  read();
}

}  // namespace hw::app
