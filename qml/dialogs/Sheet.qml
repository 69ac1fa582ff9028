// A dialog with a title over the window: what is read or filled in, then closed. Esc closes.
import QtQuick
import QtQuick.Controls.Basic as Basic
import Halfwire

Modal {
    id: root
    property string title
    default property alias content: body.data

    closePolicy: Basic.Popup.CloseOnEscape | Basic.Popup.CloseOnPressOutside
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
