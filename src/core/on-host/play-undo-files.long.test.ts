import { playUndoFilesTests } from "../../../test/undo/play-undo-files.ts";
import { otherShells } from "../../../test/undo/shells.ts";

playUndoFilesTests(otherShells);
