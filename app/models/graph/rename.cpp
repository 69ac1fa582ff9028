#include "app/models/graph/rename.h"

#include "app/document/text.h"

namespace hw::app {

void rename_node(Document& document, const QString& node, const QString& label) {
  const Node* found = document.shown().graph().find(to_std(node));
  if (!found) return;
  Node plain = *found;
  plain.label.clear();
  std::string text = to_std(label.trimmed());
  if (text == display_name(document.graph(), plain)) text.clear();
  if (text != found->label) document.push(QObject::tr("Rename"), {SetLabel{found->id, text}});
}

}  // namespace hw::app
