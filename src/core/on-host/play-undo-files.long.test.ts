import { playUndoFilesTests } from "../../../test/undo/play-undo-files.ts";
import { allShells } from "../../../test/undo/shells.ts";

playUndoFilesTests(allShells);
