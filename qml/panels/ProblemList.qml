// Every problem of the graph, as rows that go to their node and mend it.
import QtQuick
import QtQuick.Templates as T
import Halfwire
import Halfwire.Models

Item {
    id: root
    required property ProblemsModel problems
    required property Document document
    /// The user has chosen the file of a parameter that lacks it.
    signal fileChosen(string node, string param, url file)

    Connections {
        target: root.problems
        function onFileWanted(node, param, folder) {
            dialog.folders = folder;
            dialog.node = node;
            dialog.param = param;
            dialog.openBeside(root.document.path, "");
        }
    }
    Connections {
        target: root.problems
        function onModelReset() {
            if (root.problems.current < 0)
                list.positionViewAtBeginning();
        }
    }
    FileChooser {
        id: dialog
        property string node
        property string param
        title: folders ? qsTr("Choose the data set's folder") : qsTr("Find the file")
        acceptLabel: folders ? qsTr("Choose") : qsTr("Open")
        onAccepted: file => root.fileChosen(node, param, file)
    }
    EmptyHint {
        visible: list.count === 0
        iconName: Icons.ok
        text: root.document.empty ? qsTr("Wrong wires and parameters are listed here, with ways to mend them.")
                                 : qsTr("No problems with nodes and wires.")
    }
    ListView {
        id: list
        objectName: "problemsList"
        anchors.fill: parent
        clip: true
        focus: true
        model: root.problems
        currentIndex: root.problems.current
        boundsBehavior: Flickable.StopAtBounds
        Accessible.role: Accessible.List
        Accessible.name: qsTr("Problems")
        T.ScrollBar.vertical: ThinScrollBar {}
        Keys.onDownPressed: root.problems.revealNext(1)
        Keys.onUpPressed: root.problems.revealNext(-1)
        delegate: ProblemRow {
            width: list.width
            problems: root.problems
        }
    }
}
