// What an empty canvas says: how to add a node, and examples to begin from.
import QtQuick
import Halfwire

Column {
    id: empty

    property var examples: []
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
        text: qsTr("Press Tab or double-click to search for a node, or drag one from the palette.\nDrag from a socket to wire it: only what fits lights up.")
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
        visible: empty.examples.length > 0
        anchors.horizontalCenter: parent.horizontalCenter
        text: qsTr("or open an example")
        color: Theme.textMuted
        font.family: Theme.family
        font.pixelSize: Theme.sizeBody
    }
    Grid {
        anchors.horizontalCenter: parent.horizontalCenter
        columns: Math.min(3, Math.max(1, empty.examples.length))
        spacing: Theme.space2
        horizontalItemAlignment: Grid.AlignHCenter
        Repeater {
            model: empty.examples
            PushButton {
                required property var modelData
                objectName: "example:" + modelData.title
                text: modelData.title
                onClicked: empty.openExample(modelData.url)
            }
        }
    }
}
