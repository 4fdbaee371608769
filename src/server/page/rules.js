// The rules of a game or of tables, and what differs from the standard ones: in a few words, and in addresses.

/** The rules of a game by default. */
export const STANDARD_RULES = {
  diagonals: "corner", continuation: "optional", directions: "not-repeated", stalemate: "loss",
  sacrifice: false, vela: null, move_limit: null, move_time: null, repetition: true,
};

/** The rules that values depend on, of those of a game. */
export const tableRules = ({ diagonals, continuation, directions = STANDARD_RULES.directions, stalemate }) =>
  ({ diagonals, continuation, directions, stalemate });

/** The rules of a position that is set up in place of a game: not its limits or its vela, which belong to that game. */
export const setUpRules = (rules) => ({ ...tableRules(rules), sacrifice: rules.sacrifice });

/** A text for each board with the rules that values depend on. */
export const boardKey = ({ board, rules }) => JSON.stringify([board, tableRules(rules)]);

/** The parts of an address that name rules that are not standard. */
export function ruleParts(rules) {
  return Object.entries(rules).filter(([name, value]) => value !== STANDARD_RULES[name]).map(([name, value]) => `${name}=${value}`);
}

/** The address of the tables of a board. */
export const addressOf = ({ board, rules }) => `#${[board, ...ruleParts(tableRules(rules))].join("&")}`;

/** The board, and what differs from the standard rules, if anything does. Tables have no rules of play. */
export function boardLine({ board: size, rules }) {
  const words = [size];
  if (rules.diagonals === "centre") words.push("diagonals from the centre");
  if (rules.continuation === "obligatory") words.push("chains must go on");
  if (rules.directions === "once") words.push("no direction twice in a turn");
  if (rules.stalemate === "draw") words.push("stalemate draws");
  if (rules.sacrifice) words.push("sacrifices");
  if (rules.vela) words.push(`vela for ${rules.vela === "white" ? "White" : "Black"}`);
  if (rules.move_limit) words.push(`${rules.move_limit} turns`);
  if (rules.move_time) words.push(`${rules.move_time / 1000} s for a move`);
  if (rules.repetition === false) words.push("no draw by repetition");
  return words.join(", ");
}

/** The same, which also says that the rules are standard. */
export function rulesLine(game) {
  const line = boardLine(game);
  return line === game.board ? `${line}, standard rules` : line;
}
