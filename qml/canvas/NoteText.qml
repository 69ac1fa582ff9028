// The text of a note, and its editor.
import QtQuick
import Halfwire

Item {
    id: root

    /// The FrameLabel.
    required property var frame

    visible: height * frame.zoom > Theme.space6
    clip: true
    Text {
        id: body
        objectName: root.frame.objectName + ":text"
        visible: !editor.active
        anchors.fill: parent
        text: root.frame.text !== "" ? root.frame.text : qsTr("Double-click to write")
        textFormat: Text.PlainText
        wrapMode: Text.Wrap
        elide: Text.ElideRight
        color: root.frame.text !== "" ? Theme.text : Theme.textMuted
        font.family: Theme.family
        font.pixelSize: root.visible ? Math.max(Theme.sizeTitle, Theme.sizeBody / root.frame.zoom) : Theme.sizeTitle
    }
    Loader {
        id: editor
        anchors.fill: parent
        active: root.frame.edited && root.frame.surface.frames.editsText
        sourceComponent: FrameEditor {
            objectName: root.frame.objectName + ":textField"
            surface: root.frame.surface
            font: body.font
            multiline: true
            was: root.frame.text
            onCommitted: text => root.frame.edits.setText(root.frame.frameId, text)
        }
    }
}
