import { powerCycleTests } from "../../../test/undo/power-cycle.ts";
import { quickShells } from "../../../test/undo/shells.ts";

powerCycleTests(quickShells);
