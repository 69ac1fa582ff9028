// What an empty canvas says: how to add a node, and examples to begin from.
import QtQuick
import Halfwire
import Halfwire.Canvas

Column {
    id: empty

    property var examples: []
    property var recent: []
    property real room: 0  // width there is
    signal openExample(url file)
    signal addNode

    objectName: "canvas:empty"
    spacing: Theme.space4

    Text {
        anchors.horizontalCenter: parent.horizontalCenter
        text: qsTr("Start with a node")
        color: Theme.text
        font.family: Theme.family
        font.pixelSize: Theme.sizeHeading
        font.weight: Font.DemiBold
    }
    Text {
        anchors.horizontalCenter: parent.horizontalCenter
        horizontalAlignment: Text.AlignHCenter
        text: (KeyBindings.labels["canvas.add"] === "" ? qsTr("Double-click to search for a node, or drag one from the palette.")
                                                         : qsTr("Press %1 or double-click to search for a node, or drag one from the palette.").arg(KeyBindings.labels["canvas.add"]))
              + "\n" + qsTr("Drag from a socket to wire it: only what fits lights up.")
        color: Theme.textMuted
        lineHeight: 1.4
        font.family: Theme.family
        font.pixelSize: Theme.sizeBody
    }
    PushButton {
        objectName: "empty:add"
        anchors.horizontalCenter: parent.horizontalCenter
        text: qsTr("Add a node")
        primary: true
        onClicked: empty.addNode()
    }
    Text {
        visible: empty.recent.length > 0
        anchors.horizontalCenter: parent.horizontalCenter
        text: qsTr("or go on with")
        color: Theme.textMuted
        font.family: Theme.family
        font.pixelSize: Theme.sizeBody
    }
    Row {
        anchors.horizontalCenter: parent.horizontalCenter
        spacing: Theme.space2
        Repeater {
            model: empty.recent.slice(0, 3)
            PushButton {
                required property var modelData
                objectName: "recent:" + modelData.title
                text: modelData.title
                onClicked: empty.openExample(modelData.url)
            }
        }
    }
    Text {
        visible: empty.examples.length > 0
        anchors.horizontalCenter: parent.horizontalCenter
        text: qsTr("or open an example")
        color: Theme.textMuted
        font.family: Theme.family
        font.pixelSize: Theme.sizeBody
    }
    Grid {
        anchors.horizontalCenter: parent.horizontalCenter
        columns: Math.max(1, Math.min(3, empty.examples.length, Math.floor(empty.room / (Theme.picture + Theme.space3))))
        spacing: Theme.space3
        Repeater {
            model: empty.examples
            ExampleCard {
                required property var modelData
                objectName: "example:" + modelData.title
                text: modelData.title
                file: modelData.url
                onClicked: empty.openExample(modelData.url)
            }
        }
    }
}
