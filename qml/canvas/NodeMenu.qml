// What can be done to a node, or to all that are selected, with the keys that do the same.
import QtQuick
import Halfwire

CanvasMenu {
    id: menu

    required property var surface
    required property var document
    property string node: ""

    function openFor(id) {
        node = id;
        popup(surface.cursor.x, surface.cursor.y);
    }

    objectName: "menu:node"
    onClosed: surface.forceActiveFocus()

    CanvasMenuItem {
        objectName: "menu:view"
        text: qsTr("View output")
        shortcut: "V"
        onTriggered: menu.surface.graph.viewOutput(menu.node)
    }
    CanvasMenuItem {
        objectName: "menu:duplicate"
        text: qsTr("Duplicate")
        shortcut: "Ctrl+D"
        onTriggered: menu.surface.graph.duplicateSelection()
    }
    CanvasMenuItem {
        objectName: "menu:copy"
        text: qsTr("Copy")
        shortcut: "Ctrl+C"
        onTriggered: menu.surface.graph.copySelection()
    }
    CanvasMenuItem {
        objectName: "menu:bypass"
        text: qsTr("Bypass")
        shortcut: "M"
        onTriggered: menu.surface.graph.toggleBypass()
    }
    CanvasMenuItem {
        objectName: "menu:collapse"
        text: qsTr("Collapse")
        shortcut: "H"
        onTriggered: menu.surface.graph.toggleCollapse()
    }
    CanvasMenuItem {
        objectName: "menu:delete"
        text: qsTr("Delete")
        shortcut: "Del"
        onTriggered: menu.surface.deleteSelected()
    }
}
