// What is wrong: the graph's problems, where precision is lost, what made the first Inf or NaN, gradients, devices.
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
           qsTr("X-ray"), qsTr("First Bad Value"), qsTr("Gradient Check"), qsTr("Parity")]

    function showXray() {
        tab = 1;
        App.xray.start();
    }

    function checkGradients() {
        tab = 3;
        App.gradientCheck.start();
    }
    function compareDevices() {
        tab = 4;
        App.parity.start();
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
    /// Made when it is first looked at.
    component Tab: Loader {
        required property int index
        anchors.fill: parent
        active: false
        visible: root.tab === index
        focus: visible
        onVisibleChanged: if (visible) active = true
    }
    Tab {
        index: 1
        sourceComponent: XrayTable { focus: true }
    }
    Tab {
        index: 2
        sourceComponent: BadValueView { focus: true }
    }
    Tab {
        index: 3
        sourceComponent: GradientsTable { focus: true }
    }
    Tab {
        index: 4
        sourceComponent: ParityTable { focus: true }
    }
}
