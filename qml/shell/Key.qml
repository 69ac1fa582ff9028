// A key that has no place in a menu; `text` says what it does in the list of shortcuts.
import QtQuick

Shortcut {
    property string text
}
