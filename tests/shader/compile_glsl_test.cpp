// GLSL compiled at run time: what it needs, and what it says.
#include "engine/shader/compile_glsl.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

#include "engine/core/codes.h"
#include "engine/shader/spirv_cache.h"

namespace hw::test::compile_glsl_test {
namespace {

Result<std::vector<uint32_t>> compile(const std::string& body) {
  return shader::compile_compute("#version 460\nlayout(local_size_x = 8) in;\nvoid main() {" + body + "}\n",
                                 shader::GlslTarget::vulkan_1_2);
}

/// A cache that is empty, and later as before.
class CompileGlsl : public testing::Test {
 protected:
  CompileGlsl() {
    if (const char* before = std::getenv("XDG_CACHE_HOME")) before_ = before;
    ::setenv("XDG_CACHE_HOME", cache_.c_str(), 1);
  }
  ~CompileGlsl() override {
    if (before_)
      ::setenv("XDG_CACHE_HOME", before_->c_str(), 1);
    else
      ::unsetenv("XDG_CACHE_HOME");
    std::filesystem::remove_all(cache_);
  }
  Result<std::vector<uint32_t>> compile_without_compiler(const std::string& body) {
    const std::string path = std::getenv("PATH");
    ::setenv("PATH", "/nowhere", 1);
    auto words = compile(body);
    ::setenv("PATH", path.c_str(), 1);
    return words;
  }
  std::vector<std::filesystem::path> files() const {
    std::vector<std::filesystem::path> all;
    for (const auto& file : std::filesystem::directory_iterator(cache_ / "halfwire/shaders")) all.push_back(file);
    return all;
  }
  const std::filesystem::path cache_ =
      std::filesystem::temp_directory_path() / ("halfwire_spirv_" + std::to_string(::getpid()));

 private:
  std::optional<std::string> before_;
};

TEST_F(CompileGlsl, WithoutTheCompilerItSaysWhatToInstall) {
  const auto words = compile_without_compiler("");
  ASSERT_FALSE(words);
  EXPECT_EQ(words.error().code, codes::no_shader);
  EXPECT_NE(words.error().remedy.find("glslang-tools"), std::string::npos);
  const auto found = compile("");
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_EQ(found->at(0), 0x07230203u);  // SPIR-V's magic number
}

TEST_F(CompileGlsl, IsDoneOnceForAText) {
  const auto words = compile("");
  ASSERT_TRUE(words) << words.error().text();
  EXPECT_EQ(files().size(), 1u);
  const auto again = compile_without_compiler("");
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(*again, *words);
  EXPECT_FALSE(compile_without_compiler(" int other; "));
}

TEST_F(CompileGlsl, IsDoneAgainWhereTheFileIsOfAnotherTextOrDamaged) {
  const auto words = compile(""), other = compile(" int other; ");
  ASSERT_TRUE(words && other);
  const auto kept = files();
  ASSERT_EQ(kept.size(), 2u);
  std::filesystem::rename(kept[0], kept[1]);  // as if two texts had one name
  EXPECT_FALSE(compile_without_compiler("") && compile_without_compiler(" int other; "));
  EXPECT_EQ(*compile(""), *words);
  EXPECT_EQ(*compile(" int other; "), *other);
  for (const uintmax_t cut : {1, 4, 64}) {
    for (const auto& file : files()) std::filesystem::resize_file(file, std::filesystem::file_size(file) - cut);
    EXPECT_FALSE(compile_without_compiler("")) << cut;
    EXPECT_EQ(*compile(""), *words);
  }
  for (const auto& path : files()) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(-8, std::ios::end).put('x');
  }
  EXPECT_FALSE(compile_without_compiler(""));
  EXPECT_EQ(*compile(""), *words);
}

TEST_F(CompileGlsl, KeepsSoManyTexts) {
  for (size_t i = 0; i < shader::kMostKept + 5; ++i) shader::remember_spirv(std::to_string(i), {1, 2, 3});
  EXPECT_EQ(files().size(), shader::kMostKept);
  EXPECT_TRUE(shader::remembered_spirv(std::to_string(shader::kMostKept + 4)));
}

TEST_F(CompileGlsl, ReadsNoFileOfAnotherKind) {
  ASSERT_TRUE(compile(""));
  const auto file = files().at(0), other = cache_ / "other";
  std::filesystem::rename(file, other);
  std::filesystem::create_symlink(other, file);
  EXPECT_FALSE(compile_without_compiler(""));
  std::filesystem::remove(file);
  ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
  EXPECT_FALSE(compile_without_compiler(""));
}

TEST_F(CompileGlsl, RunsWithoutAFolderToWrite) {
  ::setenv("XDG_CACHE_HOME", "/proc/nowhere", 1);
  EXPECT_TRUE(compile(""));
}

TEST_F(CompileGlsl, SaysWhatTheCompilerSays) {
  const auto words = compile(" float x = nothing; ");
  ASSERT_FALSE(words);
  EXPECT_NE(words.error().reason.find("'nothing' : undeclared identifier"), std::string::npos) << words.error().text();
}

}  // namespace
}  // namespace hw::test::compile_glsl_test
