// The title of a frame, or the text of a note, where FrameLayer draws its box. Presses fall through to the surface.
import QtQuick
import Halfwire

Item {
    id: root

    required property var surface
    required property string frameId
    required property string title
    required property string colour
    required property bool note
    required property string text
    required property rect box
    required property bool selected
    required property bool shown

    // What is hidden follows no camera.
    readonly property real zoom: shown ? surface.frames.zoom : 1
    readonly property color tint: Theme.frame(colour)
    readonly property bool edited: shown && surface.frames.edited === frameId
    readonly property var edits: surface.graph ? surface.graph.frames : null

    objectName: "frame:" + frameId
    Accessible.role: Accessible.Grouping
    Accessible.name: title
    Accessible.description: text
    Accessible.selected: selected
    visible: shown
    x: box.x
    y: box.y
    width: box.width
    height: box.height

    Item {
        id: bar
        width: parent.width
        height: root.shown ? root.surface.frames.titleHeight : 0
        anchors.bottom: parent.top
        anchors.bottomMargin: -root.surface.frames.titleInside
        // Scaled, not laid out anew: the camera may zoom over hundreds.
        Item {
            id: label
            anchors.verticalCenter: parent.verticalCenter
            width: parent.width / scale
            height: Theme.sizeHeading
            scale: Math.max(1, Theme.sizeTitle / Theme.sizeHeading / root.zoom)
            transformOrigin: Item.Left
            Rectangle {
                id: stripe
                x: Theme.space3
                width: Theme.space1
                height: parent.height
                radius: width / 2
                color: root.tint
            }
            Text {
                id: name
                objectName: root.objectName + ":title"
                visible: !titleEditor.active
                anchors.left: stripe.right
                anchors.leftMargin: Theme.space2
                anchors.right: parent.right
                anchors.rightMargin: Theme.space2
                anchors.verticalCenter: parent.verticalCenter
                text: root.title
                elide: Text.ElideRight
                color: Qt.tint(root.tint, Qt.alpha(Theme.text, 0.75))
                font.family: Theme.family
                font.weight: Font.DemiBold
                font.pixelSize: Theme.sizeHeading
            }
            Loader {
                id: titleEditor
                anchors.fill: name
                active: root.edited && !root.surface.frames.editsText
                sourceComponent: FrameEditor {
                    objectName: root.objectName + ":titleField"
                    surface: root.surface
                    font: name.font
                    was: root.title
                    onCommitted: text => root.edits.setTitle(root.frameId, text)
                }
            }
        }
    }
    Loader {
        active: root.note
        anchors.fill: parent
        anchors.topMargin: root.surface.frames.titleInside > 0 ? root.surface.frames.titleInside : Theme.space3
        anchors.leftMargin: Theme.space3
        anchors.rightMargin: Theme.space3
        anchors.bottomMargin: Theme.space3
        sourceComponent: NoteText {
            frame: root
        }
    }
}
