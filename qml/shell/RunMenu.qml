// Training, checks, precision, the list of problems.
import QtQuick
import Halfwire
import Halfwire.App

AppMenu {
    id: menu
    required property var actions  // RunActions
    required property var look
    title: qsTr("Run")

    function placeOf(item: Item): int {
        let place = 0;
        while (place < count && itemAt(place) !== item)
            ++place;
        return place;
    }

    AppMenuItem { action: menu.actions.run; iconName: Icons.run; objectName: "menu:run" }
    AppMenuItem { action: menu.actions.pause; iconName: Icons.pause; objectName: "menu:pause" }
    AppMenuItem { action: menu.actions.step; iconName: Icons.step; objectName: "menu:step" }
    AppMenuItem { action: menu.actions.stop; iconName: Icons.stop; objectName: "menu:stop" }
    AppMenuItem {
        objectName: "menu:halt"
        text: qsTr("Halt on the First Inf or NaN")
        checkable: true
        checked: menu.look.haltOnBadValue
        onTriggered: menu.look.haltOnBadValue = checked
    }
    MenuLine {}
    AppMenuItem { action: menu.actions.evaluate; iconName: Icons.evaluate; objectName: "menu:evaluate" }
    AppMenuItem {
        objectName: "menu:live"
        text: qsTr("Live: Evaluate after Each Edit")
        checkable: true
        checked: menu.look.live
        onTriggered: menu.look.live = checked
    }
    MenuLine {}
    AppMenuItem { action: menu.actions.saveCheckpoint; objectName: "menu:saveCheckpoint" }
    AppMenuItem { action: menu.actions.loadWeights; objectName: "menu:loadWeights" }
    AppMenuItem { action: menu.actions.resumeFrom; objectName: "menu:resumeFrom" }
    AppMenuItem {
        objectName: "menu:keepOptimiser"
        text: App.run.statesSize !== "" ? qsTr("Save Optimiser State (%1)").arg(App.run.statesSize)
                                        : qsTr("Save Optimiser State")
        checkable: true
        checked: menu.look.keepsOptimiser
        onTriggered: menu.look.keepsOptimiser = checked
    }
    MenuLine {}
    AppMenuItem { action: menu.actions.tryPrecision; objectName: "menu:tryPrecision" }
    AppMenuItem { action: menu.actions.planPrecision; objectName: "menu:planPrecision" }
    MenuLine {}
    AppMenuItem { action: menu.actions.restart; iconName: Icons.reset; objectName: "menu:restart" }
    MenuLine {}
    AppMenuItem {
        id: nextProblem
        action: menu.actions.nextProblem
        iconName: Icons.warning
        objectName: "menu:nextProblem"
    }
    Instantiator {
        model: menu.actions.checks
        AppMenuItem {
            required property var modelData
            action: modelData
            iconName: Icons[modelData.key]
            objectName: "menu:" + modelData.key
        }
        onObjectAdded: (index, item) => menu.insertItem(menu.placeOf(nextProblem), item)
        onObjectRemoved: (index, item) => menu.removeItem(item)
    }
    MenuLine {}
    AppMenuItem { action: menu.actions.copyCommand; iconName: Icons.copy; objectName: "menu:copyCommand" }
}
