#include "app/desktop/third_party.h"

#include <assimp/version.h>
#include <oneapi/dnnl/dnnl_version.h>
#include <vulkan/vulkan_core.h>

#include <CLI/Version.hpp>
#include <QVariantMap>
#include <QtGlobal>
#include <nlohmann/json.hpp>

namespace hw::app {
namespace {

QString numbers(unsigned major, unsigned minor, unsigned patch) {
  return QStringLiteral("%1.%2.%3").arg(major).arg(minor).arg(patch);
}

}  // namespace

QVariantList third_party() {
  const auto row = [](const char* name, const QString& version, const char* licence, const char* purpose,
                      const char* url) {
    return QVariantMap{{"name", QLatin1String(name)},
                       {"version", version},
                       {"licence", QLatin1String(licence)},
                       {"purpose", QLatin1String(purpose)},
                       {"url", QLatin1String(url)}};
  };
  return {
      row("Qt", QLatin1String(qVersion()), "LGPL-3.0-only", "the window", "https://www.qt.io"),
      row("oneDNN", numbers(DNNL_VERSION_MAJOR, DNNL_VERSION_MINOR, DNNL_VERSION_PATCH), "Apache-2.0",
          "matrix products", "https://github.com/oneapi-src/oneDNN"),
      row("Assimp", numbers(aiGetVersionMajor(), aiGetVersionMinor(), aiGetVersionPatch()), "BSD-3-Clause", "meshes",
          "https://www.assimp.org"),
      row("libsndfile", {}, "LGPL-2.1-or-later", "sounds", "https://libsndfile.github.io/libsndfile"),
      row("stb", {}, "MIT OR Unlicense", "pictures", "https://github.com/nothings/stb"),
      row("libjpeg-turbo", {}, "IJG AND BSD-3-Clause AND Zlib", "checks of pictures", "https://libjpeg-turbo.org"),
      row("JSON for Modern C++",
          numbers(NLOHMANN_JSON_VERSION_MAJOR, NLOHMANN_JSON_VERSION_MINOR, NLOHMANN_JSON_VERSION_PATCH), "MIT",
          "files", "https://github.com/nlohmann/json"),
      row("RE2", {}, "BSD-3-Clause", "finding by regular expression", "https://github.com/google/re2"),
      row("CLI11", QLatin1String(CLI11_VERSION), "BSD-3-Clause", "the command line",
          "https://github.com/CLIUtils/CLI11"),
      row("Vulkan headers and loader", numbers(1, VK_API_VERSION_MINOR(VK_HEADER_VERSION_COMPLETE), VK_HEADER_VERSION),
          "Apache-2.0 OR MIT", "the viewport", "https://www.vulkan.org"),
      row("Inter", {}, "OFL-1.1", "text", "https://rsms.me/inter"),
      row("JetBrains Mono", {}, "OFL-1.1", "numbers", "https://www.jetbrains.com/lp/mono"),
      row("Material Design Icons", {}, "OFL-1.1", "icons", "https://materialdesignicons.com"),
  };
}

}  // namespace hw::app
