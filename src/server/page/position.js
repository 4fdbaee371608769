// Parses and writes position texts for drawing; the server decides whether a position is valid.

const COLUMNS = "abcdefghijklm";
const SIDES = { W: "white", B: "black" };

/** How many columns and rows there can be. */
export const SIZES = [1, 3, 5, 7, 9, 11, 13];

/** The name of the point in that column and row, both counted from 0. */
export function pointName(column, row) {
  return `${COLUMNS[column]}${row + 1}`;
}

/** Column and row of a point. */
export function pointPlace(name) {
  return [COLUMNS.indexOf(name[0]), Number(name.slice(1)) - 1];
}

/** All points of a board, from the top left on. */
export function pointNames(columns, rows) {
  return Array.from({ length: columns * rows }, (_, i) => pointName(i % columns, rows - 1 - Math.floor(i / columns)));
}

/** Stones by their points, and the side to move; `null` if the text is not a position. */
export function readPosition(text) {
  const [ranks, toMove, ...more] = text.trim().split(/[\s_]+/);
  if (!/^[\dWB./]+$/.test(ranks) || !/^[wb]$/.test(toMove ?? "") || more.length) return null;
  const lines = ranks.split("/");
  const stones = new Map();
  const widths = lines.map((line, i) => {
    let column = 0;
    for (const [mark] of line.matchAll(/\d+|[WB.]/g)) {
      if (mark in SIDES) stones.set(pointName(column, lines.length - 1 - i), SIDES[mark]);
      column += /\d/.test(mark) ? Number(mark) : 1;
    }
    return column;
  });
  if (widths.some((width) => width !== widths[0] || width > COLUMNS.length) || lines.length > COLUMNS.length) return null;
  return { columns: widths[0], rows: lines.length, stones, toMove: toMove === "w" ? "white" : "black" };
}

/** Why that text is not a position. */
export function notPosition(text) {
  return `"${text}" is not a valid position. Write ranks from the top, such as 3/1B1/W1W w.`;
}

/** The text of a position. */
export function writePosition(columns, rows, stones, toMove) {
  const rank = (row) => {
    let text = "";
    let empty = 0;
    for (let column = 0; column < columns; column += 1) {
      const stone = stones.get(pointName(column, row));
      if (stone && empty) text += empty;
      empty = stone ? 0 : empty + 1;
      if (stone) text += stone === "white" ? "W" : "B";
    }
    return empty ? text + empty : text;
  };
  const ranks = Array.from({ length: rows }, (_, i) => rank(rows - 1 - i));
  return `${ranks.join("/")} ${toMove[0]}`;
}

/** The text of the position of a view, without a stone that was sacrificed: no text can say that it stays for one turn only. */
export function positionOf({ position, block }) {
  const { columns, rows, stones, toMove } = readPosition(position);
  stones.delete(block);
  return writePosition(columns, rows, stones, toMove);
}
