// DocumentParts: what all parts of an open document do together: read files anew, stop, say whether they are at work.
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

namespace hw::app {

/// One model, or several of a kind. What it has nothing to do with stays empty.
struct DocumentPart {
  std::function<bool()> busy = {};    // a worker thread of it holds the document up
  std::function<void()> reload = {};  // the files that nodes name are others
  std::function<void()> leave = {};   // stops what runs, so that it is no longer busy soon
};

/// In the order in which they were added. GUI thread.
class DocumentParts {
 public:
  void add(DocumentPart part) { parts_.push_back(std::move(part)); }
  bool busy() const {
    return std::ranges::any_of(parts_, [](const DocumentPart& part) { return part.busy && part.busy(); });
  }
  void reload() const {
    for (const DocumentPart& part : parts_)
      if (part.reload) part.reload();
  }
  void leave() const {
    for (const DocumentPart& part : parts_)
      if (part.leave) part.leave();
  }

 private:
  std::vector<DocumentPart> parts_;
};

}  // namespace hw::app
