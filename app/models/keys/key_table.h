// key_table: everything in the window that can have keys, with the keys it has by default.
#pragma once

#include <string_view>
#include <vector>

namespace hw::app {

/// Where a key acts: in the whole window, or while that panel has the focus. What has the focus gets a key after the
/// window's own.
enum class KeyScope { window, canvas, viewport };

struct KeyRow {
  const char* id;     // "file.save": in the settings and in QML
  const char* group;  // its heading in the list
  const char* title;
  KeyScope scope = KeyScope::window;
  const char* keys = "";  // QKeySequence's portable text, several as "Home; F"
};

/// In the order of the list. The rows of the checks are those of app/checks.h: "check.xray".
const std::vector<KeyRow>& key_table();

/// Null when there is none.
const KeyRow* find_key_row(std::string_view id);

}  // namespace hw::app
