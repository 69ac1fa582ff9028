// What is wrong: the graph's problems, what made the first Inf or NaN, and the checks of the whole graph, a tab each.
import QtQuick
import Halfwire
import Halfwire.Models

Panel {
    id: root
    objectName: "problems"
    required property ProblemsModel model
    required property BadValueModel badValue
    required property RunModel run
    required property Document document
    required property HeatMapModel heatMap
    /// {key, title, action} of each check, and its CheckModel.
    required property var checkTabs
    required property var checks
    /// The user has chosen the file of a parameter that lacks it.
    signal fileChosen(string node, string param, url file)
    title: qsTr("Problems")
    // Hints are listed, and are no problems.
    readonly property int problems: model.errors + model.warnings
    iconName: Icons.warning
    tabs: [problems === 0 ? qsTr("Problems") : qsTr("Problems (%1)").arg(problems),
           qsTr("First Bad Value")].concat(checkTabs.map(check => check.title))
    readonly property int badValueTab: 1
    readonly property int firstCheckTab: 2

    /// Shows a check and starts it.
    function runCheck(check: int) {
        tab = firstCheckTab + check;
        checks[check].start();
    }

    Connections {
        target: root.model
        function onCurrentChanged() {
            if (root.model.current >= 0)
                root.tab = 0;
        }
        function onBadValueWanted() {
            root.tab = root.badValueTab;
            root.badValue.show();
        }
    }
    Connections {
        target: root.badValue
        function onFound() {
            root.tab = root.badValueTab;
            root.badValue.reveal();
        }
    }
    ProblemList {
        anchors.fill: parent
        visible: root.tab === 0
        focus: visible
        problems: root.model
        document: root.document
        onFileChosen: (node, param, file) => root.fileChosen(node, param, file)
    }
    /// Made when it is first looked at.
    component Tab: Loader {
        required property int place
        anchors.fill: parent
        active: false
        visible: root.tab === place
        focus: visible
        onVisibleChanged: if (visible) active = true
    }
    Tab {
        place: root.badValueTab
        sourceComponent: BadValueView {
            focus: true
            bad: root.badValue
            run: root.run
        }
    }
    Repeater {
        model: root.checkTabs
        Tab {
            required property int index
            required property var modelData
            place: root.firstCheckTab + index
            onActiveChanged: {
                const table = modelData.key.charAt(0).toUpperCase() + modelData.key.slice(1) + "Table.qml";
                setSource(table, {
                    model: root.checks[index], tab: modelData, document: root.document, heatMap: root.heatMap
                });
            }
            // They belong to the document that is shown.
            onLoaded: {
                item.model = Qt.binding(() => root.checks[index]);
                item.document = Qt.binding(() => root.document);
                item.heatMap = Qt.binding(() => root.heatMap);
            }
        }
    }
}
