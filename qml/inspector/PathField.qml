// A file: typed, or chosen in a dialog.
import QtQuick
import Halfwire
import Halfwire.Models

FocusScope {
    id: root
    required property InspectorModel inspector
    required property Document document
    property string text
    property string standIn
    property bool wrong: false
    signal committed(string text)

    implicitHeight: Theme.control

    ValueBox {
        id: box
        objectName: root.objectName + ":text"
        anchors.left: parent.left
        anchors.right: browse.left
        anchors.rightMargin: Theme.space1
        focus: true
        value: root.text
        placeholderText: root.standIn
        wrong: root.wrong
        Accessible.name: root.Accessible.name
        onCommitted: text => {
            root.committed(text);
            reset();
        }
    }
    IconButton {
        id: browse
        objectName: root.objectName + ":browse"
        anchors.right: parent.right
        iconName: Icons.open
        tip: qsTr("Choose a file")
        onClicked: dialog.openBeside(root.document.path, "")
    }
    FileChooser {
        id: dialog
        title: qsTr("Choose a file")
        onAccepted: file => root.committed(root.inspector.pathFor(file))
    }
}
