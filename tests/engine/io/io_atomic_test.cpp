// Atomic writing: the old bytes or the new, with the system's reason when it fails.
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <csignal>

#include "engine/core/codes.h"
#include "engine/io/file/atomic_file.h"
#include "tests/engine/io_temp.h"

namespace hw {
namespace {

using test::TempFolder;

TEST(AtomicFile, ReplacesAndKeepsPermissions) {
  const TempFolder folder;
  const auto file = folder / "a.txt";
  ASSERT_TRUE(write_file_atomically(file, "one"));
  ASSERT_EQ(::chmod(file.c_str(), 0640), 0);
  ASSERT_TRUE(write_file_atomically(file, std::string_view("two\0!", 5)));
  EXPECT_EQ(test::read_bytes(file), std::string("two\0!", 5));
  struct stat s;
  ASSERT_EQ(::stat(file.c_str(), &s), 0);
  EXPECT_EQ(s.st_mode & 0777, 0640u);
  EXPECT_EQ(folder.count(), 1u);
}

TEST(AtomicFile, FollowsALink) {
  const TempFolder folder;
  test::write_bytes(folder / "real", "old");
  std::filesystem::create_symlink("real", folder / "link");
  ASSERT_TRUE(write_file_atomically(folder / "link", "new"));
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(test::read_bytes(folder / "real"), "new");
}

TEST(AtomicFile, NoSuchFolderAndNotAFile) {
  const TempFolder folder;
  const Status none = write_file_atomically(folder / "no/such/x", "1");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, codes::file_unwritable);
  EXPECT_THAT(none.error().reason, ::testing::HasSubstr("No such file or directory"));
  const Status dir = write_file_atomically(folder.path(), "1");
  ASSERT_FALSE(dir);
  EXPECT_THAT(dir.error().reason, ::testing::HasSubstr("Is a directory"));
  const Status device = write_file_atomically("/dev/full", "1");
  ASSERT_FALSE(device);
  EXPECT_EQ(device.error().code, codes::file_unwritable);
}

/// Runs `body` in a child process, without root's rights, and gives its exit status.
template <class Body>
int in_child(const std::filesystem::path& owned, Body body) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (::getuid() == 0) {  // root may write everywhere
      if (::chown(owned.c_str(), 65534, 65534) != 0 || ::setuid(65534) != 0) ::_exit(90);
    }
    ::_exit(body());
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}

TEST(AtomicFile, FullDiskLeavesTheOldFile) {
  const TempFolder folder;
  const auto file = folder / "g.halfwire";
  test::write_bytes(file, "old");
  std::filesystem::permissions(file, std::filesystem::perms::all);
  const int status = in_child(folder.path(), [&] {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{4096, 4096};  // bytes a file may have: as a full disk
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) return 2;
    const Status written = write_file_atomically(file, std::string(100'000, 'x'));
    if (written) return 3;
    return written.error().code == codes::file_unwritable && !written.error().reason.empty() &&
                   written.error().remedy.find("space") != std::string::npos
               ? 0
               : 4;
  });
  EXPECT_EQ(status, 0);
  EXPECT_EQ(test::read_bytes(file), "old");
  EXPECT_EQ(folder.count(), 1u) << "the temporary file stayed";
}

TEST(AtomicFile, ReadOnlyFolderAndFile) {
  const TempFolder folder;
  const auto file = folder / "a";
  test::write_bytes(file, "old");
  ASSERT_EQ(::chmod(file.c_str(), 0444), 0);
  const auto denied = [&](const std::filesystem::path& target) {
    const Status written = write_file_atomically(target, "new");
    return !written && written.error().reason.find("Permission denied") != std::string::npos ? 0 : 1;
  };
  EXPECT_EQ(in_child(folder.path(), [&] { return denied(file); }), 0);
  ASSERT_EQ(::chmod(folder.path().c_str(), 0555), 0);
  EXPECT_EQ(in_child(folder.path(), [&] { return denied(folder / "b"); }), 0);
  EXPECT_EQ(test::read_bytes(file), "old");
}

}  // namespace
}  // namespace hw
