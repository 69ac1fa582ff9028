// What is wrong: the graph's problems, what made the first Inf or NaN, and the checks of the whole graph, a tab each.
import QtQuick
import Halfwire
import Halfwire.App

Panel {
    id: root
    objectName: "problems"
    title: qsTr("Problems")
    // Hints are listed, and are no problems.
    readonly property int problems: App.problems.errors + App.problems.warnings
    iconName: Icons.warning
    tabs: [problems === 0 ? qsTr("Problems") : qsTr("Problems (%1)").arg(problems),
           qsTr("First Bad Value")].concat(App.checkTabs.map(check => check.title))
    readonly property int badValueTab: 1
    readonly property int firstCheckTab: 2

    /// Shows a check of App.checks and starts it.
    function runCheck(check: int) {
        tab = firstCheckTab + check;
        App.checks[check].start();
    }

    Connections {
        target: App.problems
        function onCurrentChanged() {
            if (App.problems.current >= 0)
                root.tab = 0;
        }
        function onBadValueWanted() {
            root.tab = root.badValueTab;
            App.badValue.show();
        }
    }
    Connections {
        target: App.badValue
        function onFound() {
            root.tab = root.badValueTab;
            App.badValue.reveal();
        }
    }
    ProblemList {
        anchors.fill: parent
        visible: root.tab === 0
        focus: visible
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
        sourceComponent: BadValueView { focus: true }
    }
    Repeater {
        model: App.checkTabs
        Tab {
            required property int index
            required property var modelData
            place: root.firstCheckTab + index
            Component.onCompleted: {
                const table = modelData.key.charAt(0).toUpperCase() + modelData.key.slice(1) + "Table.qml";
                setSource(table, { check: index });
            }
        }
    }
}
