// One graph on two devices: the values op by op, and of the row that is chosen what each device made, as pictures.
import QtQuick
import Halfwire

VerdictTable {
    id: root
    again: qsTr("Compare Again")
    working: qsTr("Training a few steps on both devices…")
    purpose: qsTr("Trains a few steps on one device and beside it on another, op by op, and names the first node where they differ by more than rounding.")
    number: qsTr("Of allowed")
    aside: pictures.visible ? pictures.width : 0
    onCurrentChanged: if (current >= 0) model.show(current)
    tools: ChoiceBox {
        objectName: "parity:pair"
        Accessible.name: qsTr("Devices")
        implicitHeight: Theme.space6
        implicitWidth: root.roomy ? 200 : 128
        enabled: !root.model.running
        model: root.model.pairs
        currentIndex: root.model.pair
        onActivated: index => root.model.pair = index
    }
    ParityPictures {
        id: pictures
        parity: root.model
        visible: parity.shown !== ""
        anchors.right: parent.right
        anchors.bottom: parent.bottom
        width: Math.min(Math.max(300, root.width * 0.36), root.width * 0.5)
        height: root.height - Theme.row - Theme.space1
        onCloseRequested: {
            root.current = -1;
            parity.show(-1);
        }
    }
}
