// What lies over the canvas at its top right: find, and the comparison with another graph.
import QtQuick
import Halfwire

Column {
    id: root
    required property var surface

    function find() { findBar.open(); }

    anchors.right: parent.right
    anchors.top: parent.top
    anchors.margins: Theme.space3
    width: parent.width - 2 * Theme.space3
    spacing: Theme.space2
    FindBar {
        id: findBar
        surface: root.surface
        anchors.right: parent.right
    }
    CompareBar {
        surface: root.surface
        anchors.right: parent.right
    }
}
