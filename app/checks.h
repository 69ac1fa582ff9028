// The checks of a whole graph: each is a command of halfwire-cli, an entry of the Run menu and a tab of the window.
#pragma once

#include <array>

namespace hw {

struct CheckInfo {
  const char* command;   // of halfwire-cli
  const char* summary;   // what its help says
  const char* key;       // in QML: "parity" has the table ParityTable.qml and the icon Icons.parity
  const char* title;     // of the tab
  const char* action;    // what starts it: "Compare Devices"
  const char* shortcut;  // may be empty
};

inline constexpr CheckInfo kXrayCheck{.command = "xray",
                                      .summary = "Show where a graph loses precision, beside an f64 shadow of it",
                                      .key = "xray",
                                      .title = "X-ray",
                                      .action = "X-ray",
                                      .shortcut = "Ctrl+Shift+X"};
inline constexpr CheckInfo kGradientCheck{.command = "gradcheck",
                                          .summary = "Compare gradients with central differences",
                                          .key = "gradients",
                                          .title = "Gradient Check",
                                          .action = "Check Gradients",
                                          .shortcut = "Ctrl+Shift+G"};
inline constexpr CheckInfo kParityCheck{
    .command = "parity",
    .summary = "Hold one device against another, op by op; exit 1 where they diverge",
    .key = "parity",
    .title = "Parity",
    .action = "Compare Devices",
    .shortcut = ""};

/// In the order of the menu and the tabs.
inline constexpr std::array<const CheckInfo*, 3> kChecks{&kXrayCheck, &kGradientCheck, &kParityCheck};

}  // namespace hw
