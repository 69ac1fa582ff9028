// What can be done with a row of the palette: a block of one's own can be opened and deleted, too.
import QtQuick
import Halfwire
import Halfwire.Models

AppMenu {
    id: menu
    required property PaletteModel model
    required property Library library
    required property Document document
    property string key: ""
    property string origin: ""
    property bool unused: false
    signal addRequested(string key)
    signal replaceRequested(string key)
    signal openRequested(url file)

    function openFor(row) {
        key = row.type;
        origin = row.origin;
        unused = origin === "document" && model.isUnused(key);
        popup(row, row.width / 2, row.height);
    }

    objectName: "menu:palette"

    AppMenuItem {
        objectName: "menu:palette:add"
        iconName: Icons.add
        text: qsTr("Add")
        keys: "Enter"
        onTriggered: menu.addRequested(menu.key)
    }
    AppMenuItem {
        objectName: "menu:palette:replace"
        text: qsTr("Replace the selection by it")
        enabled: menu.document.activeNode !== ""
        onTriggered: menu.replaceRequested(menu.key)
    }
    AppMenuItem {
        objectName: "menu:palette:open"
        visible: menu.origin === "own"
        height: visible ? implicitHeight : 0
        iconName: Icons.open
        text: qsTr("Open its file")
        onTriggered: menu.openRequested(menu.library.ownFile(menu.key.slice("block:".length)))
    }
    AppMenuItem {
        objectName: "menu:palette:delete"
        visible: menu.origin === "own"
        height: visible ? implicitHeight : 0
        iconName: Icons.remove
        text: qsTr("Delete from the library")
        onTriggered: menu.library.remove(menu.key.slice("block:".length))
    }
    AppMenuItem {
        objectName: "menu:palette:deleteGroup"
        visible: menu.origin === "document"
        height: visible ? implicitHeight : 0
        enabled: menu.unused
        iconName: Icons.remove
        text: menu.unused ? qsTr("Delete from this file") : qsTr("Delete (it is in use)")
        onTriggered: menu.model.removeGroup(menu.key)
    }
}
