// One graph on two devices: the values op by op, and of the row that is chosen what each device made, as pictures.
import QtQuick
import Halfwire
import Halfwire.App

CheckTable {
    id: root
    model: App.parity
    key: "parity"
    iconName: Icons.parity
    action: qsTr("Compare Devices")
    again: qsTr("Compare Again")
    working: qsTr("Training a few steps on both devices…")
    purpose: qsTr("Trains a few steps on one device and beside it on another, op by op, and names the first node where they differ by more than rounding.")
    number: qsTr("Of allowed")
    aside: pictures.visible ? pictures.width : 0
    onCurrentChanged: if (current >= 0) App.parity.show(current)
    tools: ChoiceBox {
        objectName: "parity:pair"
        Accessible.name: qsTr("Devices")
        implicitHeight: Theme.space6
        implicitWidth: root.width > 560 ? 200 : 128
        enabled: !App.parity.running
        model: App.parity.pairs
        currentIndex: App.parity.pair
        onActivated: index => App.parity.pair = index
    }
    ParityPictures {
        id: pictures
        visible: App.parity.shown !== ""
        anchors.right: parent.right
        anchors.bottom: parent.bottom
        width: Math.min(Math.max(300, root.width * 0.36), root.width * 0.5)
        height: root.height - Theme.row - Theme.space1
        onCloseRequested: {
            root.current = -1;
            App.parity.show(-1);
        }
    }
}
