// What FailingCalls are tried on: opening, importing, saving, training, as the program does them.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/core/exceptions.h"
#include "engine/core/result.h"

namespace hw::test {

/// One time that something is done, in a folder of its own. Made, prepared, done and looked at on one thread.
class Trial {
 public:
  explicit Trial(std::filesystem::path folder) : folder_(std::move(folder)) {}
  virtual ~Trial() = default;
  /// Files as they are before; a second time makes them the same. Nothing fails here, nor in check().
  virtual void prepare() {}
  /// What is tried. Returns the first error that the user gets, if any.
  virtual Status run() = 0;
  /// EXPECTs, after run(): what is in memory and on disk is whole. `status`: what run() returned.
  virtual void check(const Status& status) = 0;
  /// EXPECTs, in another process after one that died in run(): what is on disk is whole; then run() goes as ever.
  virtual void check_survival() {}
  /// Whether run() changes files.
  virtual bool changes_files() const { return true; }
  /// Whether small allocations of the thread that calls run() are spared: it is a window's, whose library does not
  /// live without them.
  virtual bool spares_caller() const { return false; }

 protected:
  std::filesystem::path file(const std::string& name) const { return folder_ / name; }

 private:
  std::filesystem::path folder_;
};

struct Operation {
  std::string name;
  std::function<std::unique_ptr<Trial>(std::filesystem::path folder)> make;
};

/// All of them.
const std::vector<Operation>& operations();
/// Parts of it.
std::vector<Operation> reading_operations();
std::vector<Operation> saving_operations();
std::vector<Operation> training_operations();
std::vector<Operation> document_operations();

template <class T>
Operation operation(std::string name) {
  return {std::move(name), [](std::filesystem::path folder) { return std::make_unique<T>(std::move(folder)); }};
}

/// A file that is replaced: one of two contents, whatever happens.
class OldOrNew {
 public:
  OldOrNew() = default;
  /// `old`: what it holds now; `fresh`: what it is to hold. "": there is no file.
  OldOrNew(std::filesystem::path file, std::string old, std::string fresh);
  /// Expects one of the two; the new one where `is_new`.
  void check(bool is_new) const;
  bool is_new() const;

 private:
  std::filesystem::path file_;
  std::string old_, fresh_;
};

/// Hidden files in the folder: what a save that failed has left.
std::vector<std::string> leftovers(const std::filesystem::path& folder);

}  // namespace hw::test
