// The image view: the original on the left of the split, what the network says at every pixel on the right.
import QtQuick
import Halfwire
import Halfwire.Models
import Halfwire.Plots

Panel {
    id: root
    objectName: "picturePanel"
    required property PictureModel picture
    title: qsTr("Image")
    iconName: Icons.image
    readonly property real seam: view.area.x + view.split * view.area.width

    actions: [
        TextLabel {
            objectName: "picture:status"
            height: Theme.space6
            text: [root.picture.drawnSize, root.picture.psnr].filter(t => t !== "").join("   ")
            color: Theme.textMuted
            elide: Text.ElideNone
            font.family: Theme.mono
            font.pixelSize: Theme.sizeSmall
        }
    ]

    Rectangle {
        anchors.fill: parent
        color: Theme.canvas
    }
    PictureItem {
        id: view
        objectName: "picture"
        anchors.fill: parent
        anchors.margins: Theme.space2
        focus: true
        model: root.picture
        watching: root.visible
        Accessible.role: Accessible.Graphic
        Accessible.name: qsTr("Picture and original")
        Keys.onLeftPressed: split -= 0.05
        Keys.onRightPressed: split += 0.05

        MouseArea {
            anchors.fill: parent
            enabled: root.picture.hasPicture
            cursorShape: Qt.SplitHCursor
            preventStealing: true
            onPressed: mouse => {
                view.forceActiveFocus();
                view.split = (mouse.x - view.area.x) / view.area.width;
            }
            onPositionChanged: mouse => view.split = (mouse.x - view.area.x) / view.area.width
        }
        Rectangle {
            visible: root.picture.hasPicture
            x: root.seam
            y: view.area.y
            width: 1
            height: view.area.height
            color: Theme.text
        }
        Caption {
            visible: root.picture.hasPicture && view.split > 0.2
            x: root.seam - width - Theme.space2
            text: qsTr("Original")
        }
        Caption {
            visible: root.picture.hasPicture && view.split < 0.8
            x: root.seam + Theme.space2
            text: qsTr("Network")
        }
    }
    Rectangle {
        anchors.fill: parent
        visible: view.activeFocus
        color: "transparent"
        border.width: 1
        border.color: Theme.focus
    }

    component Caption: Rectangle {
        property alias text: word.text
        y: view.area.y + Theme.space2
        width: word.implicitWidth + 2 * Theme.space2
        height: Theme.space6 - Theme.space1
        radius: Theme.radius
        color: Theme.caption
        Text {
            id: word
            anchors.centerIn: parent
            color: Theme.captionText
            font.family: Theme.family
            font.pixelSize: Theme.sizeSmall
        }
    }
    EmptyHint {
        visible: !root.picture.hasOriginal
        iconName: root.picture.busy ? Icons.timer : Icons.image
        text: root.picture.busy ? qsTr("Loading the picture") : root.picture.hint
    }
    HintBar {
        objectName: "picture:hint"
        visible: root.picture.hasOriginal && text !== ""
        text: root.picture.hint
    }
}
