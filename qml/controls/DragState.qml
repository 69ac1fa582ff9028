// What is dragged from a panel to another, so that the other can show where it may be dropped.
pragma Singleton
import QtQml

QtObject {
    /// The label of a parameter on its way to the border of the group; "": none is.
    property string parameter: ""
}
