import { controlCharacters } from "./control-characters.ts";
import { documented } from "./documented.ts";
import { errorText } from "./error-text.ts";
import { layersRule } from "./layers-rule.ts";
import { named } from "./named.ts";
import { todo } from "./todo.ts";
import { worldRule } from "./world-rule.ts";

/** furrow's own lint rules, loaded by `.oxlintrc.json`. */
export default {
  meta: { name: "furrow" },
  rules: {
    "control-characters": controlCharacters,
    documented,
    "error-text": errorText,
    layers: layersRule,
    named,
    todo,
    world: worldRule,
  },
};
