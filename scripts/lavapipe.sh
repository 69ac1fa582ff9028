# Sourced by scripts: windows are drawn by Mesa's software Vulkan driver, where it is here, whatever GPU there is.
lavapipe="$(find /usr/share/vulkan/icd.d -name 'lvp_icd*.json' -print -quit 2>/dev/null || true)"
if [[ -n "$lavapipe" ]]; then export VK_DRIVER_FILES="$lavapipe" VK_ICD_FILENAMES="$lavapipe"; fi
unset WAYLAND_DISPLAY
