// A frame with its title, or a note with its text. Presses fall through to the surface.
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

    readonly property real zoom: surface.camera.zoom
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
    z: -box.width * box.height  // smaller ones lie on larger ones
    width: box.width
    height: box.height

    Rectangle {
        anchors.fill: parent
        radius: Theme.radiusLarge
        color: Qt.alpha(root.tint, root.note ? 0.26 : 0.1)
        border.color: root.selected ? Theme.accent : Qt.alpha(root.tint, 0.55)
        border.width: Math.max(root.selected ? Theme.focusRing : 1, 1 / root.zoom)
    }
    Item {
        id: bar
        width: parent.width
        height: root.surface.frames.titleHeight
        anchors.bottom: parent.top
        anchors.bottomMargin: -root.surface.frames.titleInside
        visible: width * root.zoom > Theme.space6
        Rectangle {
            id: stripe
            anchors.verticalCenter: parent.verticalCenter
            x: Theme.space3
            width: Theme.space1 * size
            height: name.font.pixelSize
            radius: width / 2
            color: root.tint
            readonly property real size: name.font.pixelSize / Theme.sizeHeading
        }
        Text {
            id: name
            objectName: root.objectName + ":title"
            visible: !titleEditor.active
            anchors.left: stripe.right
            anchors.leftMargin: Theme.space2 * stripe.size
            anchors.right: parent.right
            anchors.rightMargin: Theme.space2
            anchors.verticalCenter: parent.verticalCenter
            text: root.title
            elide: Text.ElideRight
            color: Qt.tint(root.tint, Qt.alpha(Theme.text, 0.75))
            font.family: Theme.family
            font.weight: Font.DemiBold
            font.pixelSize: Math.max(Theme.sizeHeading, Theme.sizeTitle / root.zoom)
        }
        FrameEditor {
            id: titleEditor
            objectName: root.objectName + ":titleField"
            active: root.edited && !root.surface.frames.editsText
            anchors.fill: name
            font: name.font
            was: root.title
            onCommitted: text => root.edits.setTitle(root.frameId, text)
            onEnded: root.surface.frames.endEdit()
            surface: root.surface
        }
    }
    Item {
        visible: root.note && height * root.zoom > Theme.space6
        anchors.fill: parent
        anchors.topMargin: bar.visible && root.surface.frames.titleInside > 0 ? root.surface.frames.titleInside : Theme.space3
        anchors.leftMargin: Theme.space3
        anchors.rightMargin: Theme.space3
        anchors.bottomMargin: Theme.space3
        clip: true
        Text {
            id: body
            objectName: root.objectName + ":text"
            visible: !textEditor.active
            anchors.fill: parent
            text: root.text !== "" ? root.text : qsTr("Double-click to write")
            textFormat: Text.PlainText
            wrapMode: Text.Wrap
            elide: Text.ElideRight
            color: root.text !== "" ? Theme.text : Theme.textMuted
            font.family: Theme.family
            font.pixelSize: Math.max(Theme.sizeTitle, Theme.sizeBody / root.zoom)
        }
        FrameEditor {
            id: textEditor
            objectName: root.objectName + ":textField"
            active: root.edited && root.surface.frames.editsText
            anchors.fill: parent
            font: body.font
            multiline: true
            was: root.text
            onCommitted: text => root.edits.setText(root.frameId, text)
            onEnded: root.surface.frames.endEdit()
            surface: root.surface
        }
    }
}
