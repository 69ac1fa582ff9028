// What two devices made of the same inputs, or a dump has and a device made, side by side in the same colours, and how
// far apart they are.
import QtQuick
import Halfwire
import Halfwire.Models
import Halfwire.Plots

Item {
    id: root
    required property ParityModel parity
    /// Where the cursor is in one of the pictures, both 0 to 1.
    property point under: Qt.point(-1, -1)
    function at(image): string {
        return image.read(under.x, under.y).text ?? "";
    }

    signal closeRequested()

    Binding { target: root.parity.first; property: "watched"; value: root.visible }
    Binding { target: root.parity.second; property: "watched"; value: root.visible }
    Binding { target: root.parity.difference; property: "watched"; value: root.visible }
    Rectangle {
        width: 1
        height: parent.height
        color: Theme.line
    }
    EmptyHint {
        visible: root.parity.noPicture !== ""
        iconName: Icons.parity
        text: root.parity.noPicture
    }
    TextLabel {
        id: title
        objectName: "parity:shown"
        x: Theme.space3
        width: close.x - x
        height: Theme.space6
        text: root.parity.shown
        font.pixelSize: Theme.sizeSmall
    }
    IconButton {
        id: close
        objectName: "parity:close"
        anchors.right: parent.right
        anchors.rightMargin: Theme.space1
        width: Theme.space6
        height: Theme.space6
        iconName: Icons.close
        tip: qsTr("Close the pictures")
        onClicked: root.closeRequested()
    }
    Row {
        visible: root.parity.noPicture === ""
        anchors.top: title.bottom
        anchors.bottom: parent.bottom
        anchors.bottomMargin: Theme.space2
        x: Theme.space3
        width: parent.width - 2 * Theme.space3
        spacing: Theme.space2
        Repeater {
            model: [
                { key: "a", title: root.parity.firstName, image: root.parity.first },
                { key: "b", title: root.parity.secondName, image: root.parity.second },
                { key: "apart", title: qsTr("apart by"), image: root.parity.difference }
            ]
            Item {
                id: one
                required property var modelData
                readonly property var image: modelData.image
                readonly property string value: image.empty ? "" : root.at(image)
                width: (parent.width - 2 * Theme.space2) / 3
                height: parent.height
                TextLabel {
                    id: head
                    width: parent.width
                    height: Theme.space4
                    text: one.modelData.title
                    color: Theme.textFaint
                    font.pixelSize: Theme.sizeSmall
                }
                TensorImageItem {
                    id: picture
                    objectName: "parity:picture:" + one.modelData.key
                    anchors.top: head.bottom
                    anchors.topMargin: Theme.space1
                    anchors.bottom: foot.top
                    anchors.bottomMargin: Theme.space1
                    width: parent.width
                    model: one.image
                    Accessible.role: Accessible.Graphic
                    Accessible.name: one.modelData.title
                    HoverHandler {
                        id: over
                        onPointChanged: if (hovered && picture.content.width > 0)
                            root.under = Qt.point((point.position.x - picture.content.x) / picture.content.width,
                                                  (point.position.y - picture.content.y) / picture.content.height)
                        onHoveredChanged: if (!hovered) root.under = Qt.point(-1, -1)
                    }
                }
                TextLabel {
                    id: foot
                    objectName: "parity:value:" + one.modelData.key
                    anchors.bottom: parent.bottom
                    width: parent.width
                    height: Theme.space4
                    text: one.value !== "" ? one.value : one.image.empty ? "" : qsTr("%1 … %2").arg(one.image.low).arg(one.image.high)
                    color: one.value !== "" ? Theme.text : Theme.textFaint
                    font.family: Theme.mono
                    font.pixelSize: Theme.sizeSmall
                }
            }
        }
    }
}
