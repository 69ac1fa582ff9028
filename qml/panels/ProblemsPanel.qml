// What is wrong, in three tabs: the graph's problems, where precision is lost, where the first Inf or NaN came from.
import QtQuick
import Halfwire
import Halfwire.App

Panel {
    id: root
    objectName: "problems"
    title: qsTr("Problems")
    iconName: Icons.warning
    tabs: [App.problems.count === 0 ? qsTr("Problems") : qsTr("Problems (%1)").arg(App.problems.count),
           qsTr("X-ray"), qsTr("First Bad Value")]

    function showXray() {
        tab = 1;
        App.xray.start();
    }

    Connections {
        target: App.problems
        function onCurrentChanged() {
            if (App.problems.current >= 0)
                root.tab = 0;
        }
        function onBadValueWanted() {
            root.tab = 2;
            App.badValue.show();
        }
    }
    Connections {
        target: App.badValue
        function onFound() {
            root.tab = 2;
            App.badValue.reveal();
        }
    }
    ProblemList {
        anchors.fill: parent
        visible: root.tab === 0
        focus: visible
    }
    XrayTable {
        anchors.fill: parent
        visible: root.tab === 1
        focus: visible
    }
    BadValueView {
        anchors.fill: parent
        visible: root.tab === 2
        focus: visible
    }
}
