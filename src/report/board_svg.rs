//! A position as a picture in SVG, for pages and for print.

use maud::html;

use crate::board::{Board, DIRECTIONS, PointSet};
use crate::rules::Position;

/// From one point to the next.
const STEP: usize = 40;
/// From the outermost points to the edges of the picture.
const LEFT: usize = 52;
const RIGHT: usize = 28;
const TOP: usize = 28;
const BOTTOM: usize = 74;
const RADIUS: usize = 14;
/// Room for the caption below a narrow board.
const LEAST_WIDTH: usize = 140;

/// The lines of the board, the stones, coordinates, and the side to move below the board. Stones differ in lightness, so that
/// they are distinct in print and for every eye. The SVG may be in a page or in its own file; it loads nothing.
#[must_use]
pub fn board_svg<P: PointSet>(board: &Board<P>, position: &Position<P>) -> String {
    let size = board.size();
    let (columns, rows) = (size.columns(), size.rows());
    let across = LEFT + RIGHT + STEP * (columns - 1);
    let (width, height) = (across.max(LEAST_WIDTH), TOP + BOTTOM + STEP * (rows - 1));
    let left = LEFT + (width - across) / 2;
    let at = |point: usize| (left + STEP * (point % columns), TOP + STEP * (rows - 1 - point / columns));
    let caption = format!("{} to move", position.to_move.name());
    // One of two opposite directions is enough.
    let lines = (0..board.points()).flat_map(|point| {
        let ends = (0..DIRECTIONS).step_by(2).filter_map(move |direction| board.next(point, direction));
        ends.map(move |end| (at(point), at(end)))
    });
    let stones = (0..board.points()).filter_map(|point| match point {
        _ if position.white.contains(point) => Some(("white", "#ffffff", at(point))),
        _ if position.black.contains(point) => Some(("black", "#1a1a1a", at(point))),
        _ => None,
    });
    let letter = |column: usize| crate::board::point_name(size, column)[..1].to_owned();
    let picture = html! {
        svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox=(format!("0 0 {width} {height}"))
            width=(width) height=(height) font-family="sans-serif" font-size="15" {
            title { (caption) ": " (position.to_text(size)) }
            rect width=(width) height=(height) fill="#ffffff" {}
            g stroke="#555555" stroke-width="2" stroke-linecap="round" {
                @for ((x1, y1), (x2, y2)) in lines {
                    line x1=(x1) y1=(y1) x2=(x2) y2=(y2) {}
                }
            }
            g text-anchor="middle" fill="#333333" {
                @for column in 0..columns {
                    text class="column" x=(at(column).0) y=(at(column).1 + 36) { (letter(column)) }
                }
                @for row in 0..rows {
                    text class="row" x=(left - 32) y=(at(row * columns).1 + 5) { (row + 1) }
                }
            }
            g stroke="#000000" stroke-width="2" {
                @for (class, fill, (x, y)) in stones {
                    circle class=(class) cx=(x) cy=(y) r=(RADIUS) fill=(fill) {}
                }
            }
            text class="caption" text-anchor="middle" fill="#000000" x=(width / 2) y=(height - 12) { (caption) }
        }
    };
    picture.into_string()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use roxmltree::{Document, Node};

    use super::*;
    use crate::board::{BoardSize, Diagonals, Wide};
    use crate::rules::{PositionText, Side};

    fn named<'a>(document: &'a Document<'_>, name: &'a str) -> impl Iterator<Item = Node<'a, 'a>> {
        document.descendants().filter(move |node| node.has_tag_name(name))
    }

    fn number(node: Node<'_, '_>, attribute: &str) -> usize {
        node.attribute(attribute).expect("an attribute").parse().expect("a number")
    }

    /// Draws, and checks all that holds of every picture.
    fn drawn<P: PointSet>(text: &str, diagonals: Diagonals) -> String {
        let text = PositionText::parse(text).expect("a position");
        let size = text.size();
        let board = Board::<P>::new(size, diagonals);
        let position = text.on::<P>(size).expect("a position of the size");
        let svg = board_svg(&board, &position);
        let document = Document::parse(&svg).expect("XML");
        let root = document.root_element();
        assert_eq!(root.tag_name().namespace(), Some("http://www.w3.org/2000/svg"));
        let caption = if position.to_move == Side::White { "White to move" } else { "Black to move" };
        let title = named(&document, "title").next().and_then(|node| node.text().map(str::to_owned));
        assert_eq!(title, Some(format!("{caption}: {}", position.to_text(size))));
        assert!(named(&document, "text").any(|node| node.text() == Some(caption)));

        // Where the coordinates say that columns and rows are.
        let places = |class: &str, attribute: &str| -> Vec<usize> {
            let marks = named(&document, "text").filter(|node| node.attribute("class") == Some(class));
            marks.map(|node| number(node, attribute)).collect()
        };
        let (columns, rows) = (places("column", "x"), places("row", "y"));
        assert_eq!((columns.len(), rows.len()), (size.columns(), size.rows()));
        assert!(columns.is_sorted() && rows.iter().rev().is_sorted());
        let point = |x: usize, y: usize| {
            let column = columns.iter().position(|&place| place == x).expect("a column");
            let row = rows.iter().position(|&place| place == y + 5).expect("a row");
            column + size.columns() * row
        };
        let found: BTreeSet<(usize, usize)> = named(&document, "line")
            .map(|line| {
                let ends = [("x1", "y1"), ("x2", "y2")].map(|(x, y)| point(number(line, x), number(line, y)));
                (ends[0].min(ends[1]), ends[0].max(ends[1]))
            })
            .collect();
        let ends = |from: usize| (0..DIRECTIONS).map(move |direction| (from, direction));
        let edges: BTreeSet<(usize, usize)> = (0..board.points())
            .flat_map(ends)
            .filter_map(|(from, direction)| Some((from, board.next(from, direction)?)))
            .map(|(from, to)| (from.min(to), from.max(to)))
            .collect();
        assert_eq!((named(&document, "line").count(), &found), (edges.len(), &edges));
        for (class, set) in [("white", position.white), ("black", position.black)] {
            let stones = named(&document, "circle").filter(|node| node.attribute("class") == Some(class));
            let stones: Vec<usize> = stones.map(|node| point(number(node, "cx"), number(node, "cy"))).collect();
            assert_eq!(stones, set.iter().collect::<Vec<_>>(), "{class}");
        }
        // All of it is in the picture.
        let (width, height) = (number(root, "width"), number(root, "height"));
        assert!(columns[0] >= RADIUS && columns[columns.len() - 1] + RADIUS < width);
        assert!(rows[rows.len() - 1] >= RADIUS && rows[0] + RADIUS < height);
        svg
    }

    #[test]
    fn pictures_have_the_lines_and_the_stones() {
        let svg = drawn::<u64>("9/9/9/B6B1/B3WW2W w", Diagonals::Corner);
        assert_eq!(svg.matches("<line ").count(), 8 * 5 + 9 * 4 + 8 * 4);
        let svg = drawn::<u64>("BBB/B1W/WWW b", Diagonals::Corner);
        assert_eq!((svg.matches("<line ").count(), svg.matches("<circle ").count()), (12 + 4, 8));
        for diagonals in [Diagonals::Corner, Diagonals::Centre] {
            drawn::<u64>("1 w", diagonals);
            drawn::<u64>("B/1/W/1/1 b", diagonals);
            drawn::<u64>("B1W/3/3/W1B/WWW b", diagonals);
        }
        let size = BoardSize::new(13, 13).expect("a size");
        drawn::<Wide>(&Position::<Wide>::start(size).to_text(size), Diagonals::Corner);
    }
}
