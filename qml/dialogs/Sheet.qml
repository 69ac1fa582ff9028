// A dialog with a title over the window: what is read or filled in, then closed. Esc closes.
import QtQuick
import QtQuick.Controls.Basic as Basic
import QtQuick.Templates as T
import Halfwire

Basic.Popup {
    id: root
    property string title
    default property alias content: body.data

    parent: T.Overlay.overlay
    anchors.centerIn: parent
    padding: Theme.space6
    modal: true
    focus: true
    closePolicy: Basic.Popup.CloseOnEscape | Basic.Popup.CloseOnPressOutside
    T.Overlay.modal: Rectangle {
        color: Theme.shade
    }
    background: Rectangle {
        color: Theme.panel
        border.color: Theme.lineStrong
        radius: Theme.radiusLarge
    }
    contentItem: Item {
        implicitHeight: head.height + body.childrenRect.height + Theme.space4
        Item {
            id: head
            width: parent.width
            height: Theme.control
            Text {
                anchors.verticalCenter: parent.verticalCenter
                text: root.title
                color: Theme.text
                font.family: Theme.family
                font.pixelSize: Theme.sizeHeading
                font.weight: Font.DemiBold
            }
            IconButton {
                objectName: "sheet:close"
                anchors.right: parent.right
                anchors.verticalCenter: parent.verticalCenter
                iconName: Icons.close
                tip: qsTr("Close")
                onClicked: root.close()
            }
        }
        Item {
            id: body
            anchors.top: head.bottom
            anchors.topMargin: Theme.space4
            width: parent.width
            height: parent.height - y
        }
    }
}
