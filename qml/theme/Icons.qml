// Icons by meaning: code points of the Material Design Icons font. The only place that knows them.
pragma Singleton
import QtQml

QtObject {
    readonly property string add: "\uF415"  // plus
    readonly property string newFile: "\uF224"  // file-outline
    readonly property string open: "\uF256"  // folder-outline
    readonly property string save: "\uF193"  // content-save
    readonly property string saveAs: "\uF194"  // content-save-all
    readonly property string undo: "\uF54C"  // undo
    readonly property string redo: "\uF44E"  // redo
    readonly property string run: "\uF40A"  // play
    readonly property string evaluate: "\uF40D"  // play-circle-outline
    readonly property string live: "\uF06A"  // autorenew
    readonly property string pause: "\uF3E4"  // pause
    readonly property string stop: "\uF4DB"  // stop
    readonly property string step: "\uF4AD"  // skip-next
    readonly property string reset: "\uF06F"  // backup-restore
    readonly property string error: "\uF028"  // alert-circle
    readonly property string warning: "\uF026"  // alert
    readonly property string info: "\uF2FC"  // information
    readonly property string ok: "\uF5E0"  // check-circle
    readonly property string check: "\uF12C"  // check
    readonly property string close: "\uF156"  // close
    readonly property string search: "\uF349"  // magnify
    readonly property string down: "\uF140"  // chevron-down
    readonly property string right: "\uF142"  // chevron-right
    readonly property string up: "\uF143"  // chevron-up
    readonly property string left: "\uF141"  // chevron-left
    readonly property string cube: "\uF1A7"  // cube-outline
    readonly property string chart: "\uF12A"  // chart-line
    readonly property string histogram: "\uF129"  // chart-histogram
    readonly property string table: "\uF4EB"  // table
    readonly property string help: "\uF2D7"  // help-circle
    readonly property string docs: "\uF0BD"  // book-open
    readonly property string parameters: "\uF62E"  // tune
    readonly property string remove: "\uF1C0"  // delete
    readonly property string image: "\uF2E9"  // image
    readonly property string frame: "\uF2F1"  // image-filter-center-focus
    readonly property string hint: "\uF336"  // lightbulb-outline
    readonly property string database: "\uF1B8"  // database
    readonly property string encoder: "\uF4AA"  // sitemap
    readonly property string layer: "\uF328"  // layers
    readonly property string math: "\uF4A0"  // sigma
    readonly property string shape: "\uF55E"  // vector-line
    readonly property string loss: "\uF127"  // chart-areaspline
    readonly property string training: "\uF474"  // school
    readonly property string view: "\uF208"  // eye
    readonly property string memory: "\uF35B"  // memory
    readonly property string timer: "\uF51B"  // timer
    readonly property string copy: "\uF18F"  // content-copy
    readonly property string more: "\uF1D9"  // dots-vertical
    readonly property string revert: "\uF54D"  // undo-variant
    readonly property string field: "\uF3D8"  // palette
    readonly property string wireframe: "\uF563"  // vector-triangle
    readonly property string normals: "\uF041"  // arrow-all
    readonly property string uv: "\uF1A9"  // cube-unfolded
    readonly property string checker: "\uF13A"  // checkerboard
    readonly property string texture: "\uF2E9"  // image
    readonly property string camera: "\uF100"  // camera
    readonly property string bake: "\uF207"  // export
    readonly property string exportFile: "\uF21D"  // file-export
    readonly property string node: "\uF2D9"  // hexagon-outline
    readonly property string frozen: "\uF33E"  // lock
    readonly property string tie: "\uF339"  // link-variant
    readonly property string merged: "\uF0F8"  // call-merge
    readonly property string transfer: "\uF4E1"  // swap-horizontal
    readonly property string group: "\uF2C3"  // group
    readonly property string enter: "\uF60D"  // subdirectory-arrow-right
    readonly property string grip: "\uF1DD"  // drag-vertical
    readonly property string promote: "\uF060"  // arrow-up-bold-circle-outline
    readonly property string gradients: "\uF533"  // trending-down
    readonly property string parity: "\uF5D1"  // scale-balance
    readonly property string xray: "\uF43C"  // radioactive

    /// The icon of a node category.
    function category(name: string): string {
        return ({
            "Source": database, "Encoder": encoder, "Layer": layer, "Math": math, "Shape": shape, "Loss": loss,
            "Training": training, "View": view, "Block": cube, "Group": group
        })[name] ?? node;
    }
}
