// Every problem of the graph, as rows that go to their node and mend it.
import QtQuick
import QtQuick.Templates as T
import Halfwire
import Halfwire.App

Item {
    id: root

    Connections {
        target: App.problems
        function onFileWanted(node, param, folder) {
            dialog.folders = folder;
            dialog.node = node;
            dialog.param = param;
            dialog.openIn(App.folderOf(App.document.path), "");
        }
    }
    Connections {
        target: App.problems
        function onModelReset() {
            if (App.problems.current < 0)
                list.positionViewAtBeginning();
        }
    }
    FileChooser {
        id: dialog
        property string node
        property string param
        title: folders ? qsTr("Choose the data set's folder") : qsTr("Find the file")
        acceptLabel: folders ? qsTr("Choose") : qsTr("Open")
        onAccepted: file => App.graph.edits.setParamAt(node, param, App.inspector.pathFor(file))
    }
    EmptyHint {
        visible: list.count === 0
        iconName: Icons.ok
        text: App.document.empty ? qsTr("Wrong wires and parameters are listed here, with ways to mend them.")
                                 : qsTr("No problems with nodes and wires.")
    }
    ListView {
        id: list
        objectName: "problemsList"
        anchors.fill: parent
        clip: true
        focus: true
        model: App.problems
        currentIndex: App.problems.current
        boundsBehavior: Flickable.StopAtBounds
        Accessible.role: Accessible.List
        Accessible.name: qsTr("Problems")
        T.ScrollBar.vertical: ThinScrollBar {}
        Keys.onDownPressed: App.problems.revealNext(1)
        Keys.onUpPressed: App.problems.revealNext(-1)
        delegate: ProblemRow {
            width: list.width
        }
    }
}
