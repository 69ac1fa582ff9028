#include "tests/failures/operations.h"

#include "tests/engine/io_temp.h"

namespace hw::test {

const std::vector<Operation>& operations() {
  static const std::vector<Operation> all = [] {
    std::vector<Operation> made;
    for (const auto& some : {reading_operations(), saving_operations(), training_operations(), document_operations()})
      made.insert(made.end(), some.begin(), some.end());
    return made;
  }();
  return all;
}

OldOrNew::OldOrNew(std::filesystem::path file, std::string old, std::string fresh)
    : file_(std::move(file)), old_(std::move(old)), fresh_(std::move(fresh)) {}

bool OldOrNew::is_new() const {
  return read_bytes(file_) == fresh_;
}

void OldOrNew::check(bool is_new) const {
  const std::string now = read_bytes(file_);
  EXPECT_TRUE(now == fresh_ || now == old_) << file_ << " has " << now.size() << " bytes: neither the " << old_.size()
                                            << " of before nor the " << fresh_.size() << " of after";
  if (is_new) {
    EXPECT_TRUE(now == fresh_) << file_ << " is the old one, and no error was reported";
  }
}

std::vector<std::string> leftovers(const std::filesystem::path& folder) {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(".")) found.push_back(name);
  }
  return found;
}

}  // namespace hw::test
