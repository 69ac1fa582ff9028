// Chooses a file to open, or a name to save under. Enter accepts, Esc gives up; a whole path may be typed as the name.
import QtQuick
import QtQuick.Layouts
import Qt.labs.folderlistmodel
import Halfwire
import Halfwire.App

Modal {
    id: root
    property string title
    property string acceptLabel: qsTr("Open")
    property var filters: ["*"]
    property bool saving: false
    property bool folders: false     // without a name the folder itself is what is chosen
    property url folder
    property bool sure: false        // to replace the file that is there
    property string problem: ""
    property bool done: false
    signal accepted(url file)
    signal rejected()

    function openIn(where: url, fileName: string) {
        folder = where;
        name.text = fileName;
        open();
    }
    /// In the folder of the file `path`; the user's documents for none.
    function openBeside(path: string, fileName: string) {
        openIn(App.folderOf(path), fileName);
    }
    function go(where: url) {
        folder = where;
        problem = "";
    }
    function take(chosen: url) {
        done = true;
        close();
        accepted(chosen);
    }
    function accept() {
        if (folders && name.text === "")
            return take(folder);
        const found = App.lookUp(folder, name.text, saving ? filters[0].replace("*", "") : "");
        if (found.kind === "folder") {
            name.text = "";
            return go(found.url);
        }
        if (found.kind === "nowhere" || (found.kind === "new" && !saving)) {
            problem = qsTr("There is no “%1” here.").arg(name.text);
            return;
        }
        if (found.kind === "file" && saving && !sure) {
            problem = qsTr("“%1” exists. Replace it?").arg(found.name);
            sure = true;
            return;
        }
        take(found.url);
    }

    width: 640
    height: Math.min(480, parent ? parent.height - 2 * Theme.space8 : 480)
    padding: Theme.space4
    onAboutToShow: {
        done = sure = false;
        problem = "";
    }
    onOpened: {
        name.forceActiveFocus();
        name.selectAll();
    }
    onClosed: if (!done) rejected()
    contentItem: ColumnLayout {
        objectName: "fileChooser"
        spacing: Theme.space2
        Text {
            text: root.title
            color: Theme.text
            font.family: Theme.family
            font.pixelSize: Theme.sizeHeading
            font.weight: Font.DemiBold
        }
        RowLayout {
            spacing: Theme.space1
            IconButton {
                objectName: "file:up"
                iconName: Icons.up
                tip: qsTr("The folder above")
                enabled: files.parentFolder.toString() !== ""
                onClicked: root.go(files.parentFolder)
            }
            TextBox {
                id: where
                objectName: "file:folder"
                Accessible.name: qsTr("Folder")
                Layout.fillWidth: true
                text: decodeURIComponent(root.folder.toString().replace("file://", ""))
                font.family: Theme.mono
                onAccepted: {
                    const found = App.lookUp(root.folder, text, "");
                    if (found.kind === "folder")
                        root.go(found.url);
                    else
                        root.problem = qsTr("There is no folder “%1”.").arg(text);
                }
            }
        }
        FileList {
            Layout.fillWidth: true
            Layout.fillHeight: true
            model: FolderListModel {
                id: files
                folder: root.folder
                nameFilters: root.filters
                showDirsFirst: true
                sortCaseSensitive: false
            }
            onFolderChosen: url => root.go(url)
            onFilePicked: fileName => name.text = fileName
            onFileChosen: fileName => {
                name.text = fileName;
                root.accept();
            }
        }
        RowLayout {
            spacing: Theme.space2
            TextBox {
                id: name
                objectName: "file:name"
                Accessible.name: qsTr("File name")
                placeholderText: root.folders ? qsTr("File name; none: the whole folder") : qsTr("File name")
                Layout.fillWidth: true
                wrong: root.problem !== ""
                onTextChanged: {
                    root.sure = false;
                    root.problem = "";
                }
                onAccepted: root.accept()
            }
            PushButton {
                objectName: "file:cancel"
                text: qsTr("Cancel")
                onClicked: root.close()
            }
            PushButton {
                objectName: "file:accept"
                text: root.sure ? qsTr("Replace") : root.acceptLabel
                primary: true
                enabled: name.text !== "" || root.folders
                onClicked: root.accept()
            }
        }
        Text {
            objectName: "file:problem"
            Layout.fillWidth: true
            Layout.preferredHeight: Theme.space4
            text: root.problem
            color: root.sure ? Theme.warning : Theme.error
            elide: Text.ElideMiddle
            font.family: Theme.family
            font.pixelSize: Theme.sizeBody
        }
    }
}
