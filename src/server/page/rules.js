// The rules of a game or of tables in a few words.

/** The board, and what differs from the standard rules. Tables have no rules of play. */
export function rulesLine({ board: size, rules }) {
  const words = [size];
  if (rules.diagonals === "centre") words.push("diagonals from the centre");
  if (rules.continuation === "obligatory") words.push("chains must go on");
  if (rules.stalemate === "draw") words.push("stalemate draws");
  if (rules.sacrifice) words.push("sacrifices");
  if (rules.vela) words.push(`vela for ${rules.vela === "white" ? "White" : "Black"}`);
  if (rules.move_limit) words.push(`${rules.move_limit} turns`);
  if (rules.repetition === false) words.push("no draw by repetition");
  return words.length === 1 ? `${size}, standard rules` : words.join(", ");
}
