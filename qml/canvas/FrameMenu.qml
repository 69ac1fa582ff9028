// What can be done to a frame or a note.
import QtQuick
import Halfwire
import Halfwire.Canvas

AppMenu {
    id: root

    required property var surface
    property string frame: ""
    property bool isNote: false
    property string colour: ""

    function openFor(id) {
        frame = id;
        isNote = surface.graph.frames.isNote(id);
        colour = surface.graph.frames.colourOf(id);
        popup(surface.cursor.x, surface.cursor.y);
    }
    /// What is edited once the menu has given the focus back.
    property string later: ""

    objectName: "menu:frameMenu"
    onClosed: {
        surface.forceActiveFocus();
        if (later !== "")
            surface.frames.edit(frame, later === "text");
        later = "";
    }

    AppMenuItem {
        objectName: "menu:frame:rename"
        text: qsTr("Rename")
        keys: KeyBindings.labels["canvas.rename"]
        onTriggered: root.later = "title"
    }
    AppMenuItem {
        objectName: "menu:frame:text"
        visible: root.isNote
        height: visible ? implicitHeight : 0
        text: qsTr("Edit text")
        onTriggered: root.later = "text"
    }
    AppMenu {
        title: qsTr("Colour")
        AppMenuItem {
            objectName: "menu:frame:colour:"
            text: qsTr("Plain")
            checkable: true
            checked: root.colour === ""
            onTriggered: root.surface.graph.frames.setColour(root.frame, "")
        }
        Repeater {
            model: root.surface.graph ? root.surface.graph.frames.colours : []
            AppMenuItem {
                required property string modelData
                readonly property var names: ({ blue: qsTr("Blue"), green: qsTr("Green"), yellow: qsTr("Yellow"), orange: qsTr("Orange"), red: qsTr("Red"), purple: qsTr("Purple") })
                objectName: "menu:frame:colour:" + modelData
                text: names[modelData] ?? modelData
                checkable: true
                checked: root.colour === modelData
                onTriggered: root.surface.graph.frames.setColour(root.frame, modelData)
                Rectangle {
                    anchors.right: parent.right
                    anchors.rightMargin: Theme.space3
                    anchors.verticalCenter: parent.verticalCenter
                    width: Theme.space4
                    height: Theme.space4
                    radius: Theme.radiusSmall
                    color: Theme.frame(modelData)
                }
            }
        }
    }
    AppMenuItem {
        objectName: "menu:frame:shrink"
        text: qsTr("Shrink to fit")
        onTriggered: root.surface.graph.frames.shrink(root.frame)
    }
    AppMenuItem {
        objectName: "menu:frame:remove"
        iconName: Icons.remove
        text: root.isNote ? qsTr("Remove") : qsTr("Remove frame")
        keys: KeyBindings.labels["canvas.delete"]
        onTriggered: root.surface.graph.frames.remove(root.frame)
    }
}
