// One graph on two devices, or beside a dump: the values one by one, and of the row that is chosen both as pictures.
import QtQuick
import Halfwire

VerdictTable {
    id: root
    again: qsTr("Compare Again")
    working: model.dumpChosen ? qsTr("Evaluating the graph beside the dump…") : qsTr("Training a few steps on both devices…")
    purpose: qsTr("Trains a few steps on one device and beside it on another, op by op, and names the first node where they differ by more than rounding. Or holds each wire against a dump: the tensor of its name that another program wrote, in a .npz file or a folder of .npy files.")
    part: model.ofDump ? qsTr("Found") : qsTr("Part")
    number: qsTr("Of allowed")
    aside: pictures.visible ? pictures.width : 0
    onCurrentChanged: if (current >= 0) model.show(current)
    tools: [
        IconButton {
            objectName: "parity:against"
            implicitHeight: Theme.space6
            iconName: Icons.open
            text: root.roomy ? qsTr("Dump…") : ""
            tip: qsTr("Compare with tensors that another program wrote…")
            enabled: !root.model.running && !root.document.empty
            onClicked: dumpDialog.openBeside(root.document.path, "")
        },
        ChoiceBox {
            objectName: "parity:pair"
            Accessible.name: qsTr("What is compared")
            implicitHeight: Theme.space6
            implicitWidth: root.roomy ? 176 : 128
            enabled: !root.model.running
            model: root.model.pairs
            currentIndex: root.model.pair
            onActivated: index => root.model.pair = index
        }
    ]
    FileChooser {
        id: dumpDialog
        title: qsTr("Compare with tensors of another program")
        acceptLabel: qsTr("Compare")
        filters: ["*.npz", "*.npy"]
        folders: true
        onAccepted: dump => root.model.against(dump)
    }
    ParityPictures {
        id: pictures
        parity: root.model
        visible: parity.shown !== ""
        anchors.right: parent.right
        anchors.bottom: parent.bottom
        width: Math.min(Math.max(300, root.width * 0.36), root.width * 0.5)
        height: root.height - root.barHeight
        onCloseRequested: {
            root.current = -1;
            parity.show(-1);
        }
    }
}
