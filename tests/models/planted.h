// Programs that stand for halfwire-cli as a child: one whose parsers were taken over, or a script.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include "tests/engine/io_temp.h"

namespace hw::test {

/// Children are the planted program while it lives.
class Planted {
 public:
  Planted() {
    write_bytes(secret, "secret");
    ::setenv("PLANTED_FILE", secret.c_str(), 1);
    ::setenv("PLANTED_FOLDER", folder_.path().c_str(), 1);
    // By a name of its own: children that wait still are others' then.
    std::filesystem::create_symlink(HALFWIRE_PLANTED, models_ / "planted");
    ::setenv("HALFWIRE_IMPORTER", (models_ / "planted").c_str(), 1);
  }
  ~Planted() {
    for (const char* name : {"HALFWIRE_IMPORTER", "PLANTED_FILE", "PLANTED_FOLDER"}) ::unsetenv(name);
  }
  /// A file of that name, which the planted parser goes by.
  std::filesystem::path operator/(const std::string& name) const {
    write_bytes(models_ / name, "anything");
    return models_ / name;
  }
  std::string folder() const { return folder_.path().string(); }

 private:
  TempFolder folder_, models_;

 public:
  const std::filesystem::path secret = folder_ / "secret";
};

/// Children are this shell script while it lives.
class FakeImporter {
 public:
  explicit FakeImporter(const std::string& script) {
    write_bytes(folder_ / "importer", "#!/bin/sh\n" + script + "\n");
    std::filesystem::permissions(folder_ / "importer", std::filesystem::perms::owner_all);
    ::setenv("HALFWIRE_IMPORTER", (folder_ / "importer").c_str(), 1);
  }
  ~FakeImporter() { ::unsetenv("HALFWIRE_IMPORTER"); }

 private:
  TempFolder folder_;
};

}  // namespace hw::test
