// Bakes the field into a texture of the mesh: size, then a file, then progress that can be stopped.
import QtQuick
import QtQuick.Controls.Basic as Basic
import Halfwire
import Halfwire.App

Modal {
    id: root
    readonly property var sizes: [512, 1024, 2048, 4096]
    property string result: ""

    width: 460
    closePolicy: App.bake.running ? Basic.Popup.NoAutoClose : Basic.Popup.CloseOnEscape
    onAboutToShow: result = ""
    Connections {
        target: App.bake
        function onDone(file, note) {
            root.result = qsTr("Written: %1").arg(file) + (note === "" ? "" : "\n" + note);
        }
        function onFailed(code, reason, remedy) {
            root.result = reason + (remedy === "" ? "" : " " + remedy) + " (" + code + ")";
        }
    }
    FileChooser {
        id: target
        title: qsTr("Export the baked mesh")
        acceptLabel: qsTr("Export")
        saving: true
        filters: ["*.glb", "*.obj"]
        onAccepted: file => {
            root.result = "";
            App.bake.start(file, root.sizes[size.currentIndex]);
        }
    }
    contentItem: Column {
        objectName: "bakeDialog"
        spacing: Theme.space4
        Text {
            width: parent.width
            text: qsTr("Export the mesh with the field as its texture")
            color: Theme.text
            wrapMode: Text.Wrap
            font.family: Theme.family
            font.pixelSize: Theme.sizeHeading
            font.weight: Font.DemiBold
        }
        Text {
            width: parent.width
            text: qsTr("The field is evaluated once for every texel, with the current weights. A .glb holds the texture; an .obj gets it as a .png beside it. Where the mesh's texture coordinates cannot hold a picture of their own, new ones are made.")
            color: Theme.textMuted
            wrapMode: Text.Wrap
            font.family: Theme.family
            font.pixelSize: Theme.sizeBody
        }
        Row {
            spacing: Theme.space2
            TextLabel {
                height: Theme.control
                verticalAlignment: Text.AlignVCenter
                text: qsTr("Texture")
            }
            ChoiceBox {
                id: size
                objectName: "bake:size"
                width: 150
                enabled: !App.bake.running
                model: root.sizes.map(s => s + " × " + s)
                currentIndex: 1
                Accessible.name: qsTr("Texels")
            }
        }
        Rectangle {
            visible: App.bake.running
            width: parent.width
            height: Theme.space2
            radius: height / 2
            color: Theme.input
            Rectangle {
                objectName: "bake:progress"
                width: parent.width * App.bake.progress
                height: parent.height
                radius: parent.radius
                color: Theme.accent
            }
        }
        Text {
            objectName: "bake:result"
            visible: text !== ""
            width: parent.width
            text: root.result
            color: Theme.text
            wrapMode: Text.WrapAnywhere
            font.family: Theme.family
            font.pixelSize: Theme.sizeBody
        }
        Row {
            anchors.right: parent.right
            spacing: Theme.space2
            PushButton {
                objectName: "bake:close"
                text: App.bake.running ? qsTr("Stop") : qsTr("Close")
                onClicked: App.bake.running ? App.bake.cancel() : root.close()
            }
            PushButton {
                objectName: "bake:export"
                text: qsTr("Choose a File…")
                primary: true
                enabled: App.bake.possible && !App.bake.running
                onClicked: target.openIn(App.folderOf(App.document.path), App.document.title + ".glb")
            }
        }
    }
}
