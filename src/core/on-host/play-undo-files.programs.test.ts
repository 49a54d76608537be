import { playUndoFilesTests } from "../../../test/undo/play-undo-files.ts";
import { quickShells } from "../../../test/undo/shells.ts";

playUndoFilesTests(quickShells);
