//! Charts as SVG text, for a white background, without external fonts or scripts.

use std::ops::Range;

use plotters::coord::Shift;
use plotters::prelude::*;
use thiserror::Error;

/// Width and height of every chart.
pub const SIZE: (u32, u32) = (800, 480);

/// Colours that are distinct for colour-blind people and in print (Okabe and Ito).
const BLUE: RGBColor = RGBColor(0, 114, 178);
const VERMILION: RGBColor = RGBColor(213, 94, 0);
const GREEN: RGBColor = RGBColor(0, 158, 115);
const DARK_GREY: RGBColor = RGBColor(120, 120, 120);

/// Colours of lines, and of the parts of bars. Wins are blue and losses vermilion in both, draws between them grey.
const LINES: [RGBColor; 4] = [BLUE, VERMILION, GREEN, DARK_GREY];
const PARTS: [RGBColor; 4] = [BLUE, DARK_GREY, VERMILION, GREEN];

const FONT: &str = "sans-serif";
const GREY: RGBColor = RGBColor(225, 225, 225);

/// Why there is no chart.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PlotError {
    /// No data, or a value that is not a number.
    #[error("the chart {title:?} has {what}; give finite numbers, at least one")]
    Data {
        /// The title of the chart.
        title: String,
        /// What is wrong.
        what: &'static str,
    },
    /// An error of the drawing library.
    #[error("the chart {title:?} cannot be drawn: {reason}")]
    Drawing {
        /// The title of the chart.
        title: String,
        /// Its message.
        reason: String,
    },
}

/// The texts around a chart.
#[derive(Clone, Copy, Debug)]
pub struct Labels<'a> {
    /// Above it.
    pub title: &'a str,
    /// Below the horizontal axis.
    pub x: &'a str,
    /// Beside the vertical axis.
    pub y: &'a str,
}

/// A point of a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// The horizontal coordinate.
    pub x: f64,
    /// The vertical coordinate.
    pub y: f64,
    /// The standard error of `y`, drawn as a bar of that length up and down; 0 for none.
    pub error: f64,
}

/// A line with a name, or points alone.
#[derive(Clone, Debug)]
pub struct Line<'a> {
    /// For the legend.
    pub name: &'a str,
    /// From left to right.
    pub points: Vec<Point>,
    /// Whether the points are joined.
    pub joined: bool,
}

/// A stacked bar.
#[derive(Clone, Debug)]
pub struct Bar<'a> {
    /// Below it.
    pub name: &'a str,
    /// The heights of its parts, none negative, from the bottom up.
    pub parts: Vec<f64>,
}

/// Lines through points; the vertical axis begins at zero.
///
/// # Errors
/// [`PlotError`], where a number is not finite or there is no point.
pub fn line_chart(labels: Labels<'_>, lines: &[Line<'_>]) -> Result<String, PlotError> {
    let points = || lines.iter().flat_map(|line| &line.points);
    check(labels, points().flat_map(|point| [point.x, point.y, point.error]))?;
    let across = span(points().map(|point| point.x));
    let up = span(points().flat_map(|point| [point.y - point.error, point.y + point.error]).chain([0.0]));
    let names: Vec<&str> = lines.iter().map(|line| line.name).collect();
    draw(labels, &names, LINES, |area| {
        let mut chart = start(labels, area).build_cartesian_2d(widened(&across), up.start..widened(&up).end)?;
        let mut mesh = chart.configure_mesh();
        mesh.max_light_lines(0).bold_line_style(GREY).x_desc(labels.x).y_desc(labels.y);
        mesh.label_style((FONT, 13)).axis_desc_style((FONT, 15)).x_labels(12);
        mesh.x_label_formatter(&number).y_label_formatter(&number).draw()?;
        for (line, colour) in lines.iter().zip(LINES.iter().cycle()) {
            if line.joined {
                let joined = line.points.iter().map(|point| (point.x, point.y));
                chart.draw_series(LineSeries::new(joined, colour.stroke_width(2)))?;
            }
            let with_error = line.points.iter().filter(|point| point.error > 0.0);
            chart.draw_series(with_error.map(|&Point { x, y, error }| {
                ErrorBar::new_vertical(x, y - error, y, y + error, colour.filled(), 6)
            }))?;
            let dots = line.points.iter().map(|point| Circle::new((point.x, point.y), 3, colour.filled()));
            chart.draw_series(dots)?;
        }
        Ok(())
    })
}

/// Bars side by side, each made of parts; the vertical axis begins at zero. `parts` names the parts from the bottom up.
///
/// # Errors
/// [`PlotError`], where a number is negative or not finite, or there is no bar.
pub fn bar_chart(labels: Labels<'_>, parts: &[&str], bars: &[Bar<'_>]) -> Result<String, PlotError> {
    check(labels, bars.iter().flat_map(|bar| bar.parts.iter().copied()))?;
    if bars.iter().any(|bar| bar.parts.iter().any(|&part| part < 0.0)) {
        return Err(PlotError::Data { title: labels.title.to_owned(), what: "a bar of negative height" });
    }
    let up = span(bars.iter().map(|bar| bar.parts.iter().sum()).chain([0.0]));
    let name = |at: &SegmentValue<usize>| match at {
        SegmentValue::CenterOf(i) => bars.get(*i).map_or(String::new(), |bar| bar.name.to_owned()),
        _ => String::new(),
    };
    draw(labels, parts, PARTS, |area| {
        // The library draws nothing of an axis with one segment.
        let across = (0..bars.len().max(2) - 1).into_segmented();
        let mut chart = start(labels, area).build_cartesian_2d(across, up.start..widened(&up).end)?;
        // Without any light lines the library loops for ever on an axis of integers.
        let mut mesh = chart.configure_mesh();
        mesh.disable_x_mesh()
            .max_light_lines(1)
            .light_line_style(TRANSPARENT)
            .bold_line_style(GREY)
            .x_desc(labels.x)
            .y_desc(labels.y);
        mesh.label_style((FONT, 12)).axis_desc_style((FONT, 15));
        mesh.x_labels(bars.len()).x_label_formatter(&name).y_label_formatter(&number).draw()?;
        for (part, colour) in (0..parts.len()).zip(PARTS.iter().cycle()) {
            let boxes = bars.iter().enumerate().filter_map(|(i, bar)| {
                let height = *bar.parts.get(part)?;
                let bottom: f64 = bar.parts[..part].iter().sum();
                let corners = [(SegmentValue::Exact(i), bottom), (SegmentValue::Exact(i + 1), bottom + height)];
                let mut rectangle = Rectangle::new(corners, colour.filled());
                rectangle.set_margin(0, 0, 4, 4);
                Some(rectangle)
            });
            chart.draw_series(boxes)?;
        }
        Ok(())
    })
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn<T = ()> = Result<T, DrawingAreaErrorKind<std::io::Error>>;

/// Draws on a white background and returns the SVG.
/// The legend is below the chart, if there is more than one name.
fn draw(
    labels: Labels<'_>,
    names: &[&str],
    colours: [RGBColor; 4],
    contents: impl FnOnce(&Area<'_>) -> Drawn,
) -> Result<String, PlotError> {
    let mut svg = String::new();
    let on = |page: &Area<'_>| {
        page.fill(&WHITE)?;
        if names.len() > 1 {
            let (upper, lower) = page.split_vertically(SIZE.1 - 28);
            contents(&upper)?;
            legend(&lower, names, colours)?;
        } else {
            contents(page)?;
        }
        page.present()
    };
    let drawn = on(&SVGBackend::with_string(&mut svg, SIZE).into_drawing_area());
    match drawn {
        Ok(()) => Ok(svg),
        Err(error) => Err(PlotError::Drawing { title: labels.title.to_owned(), reason: error.to_string() }),
    }
}

/// A chart with its title and room for the axes.
fn start<'a, 'b>(labels: Labels<'_>, area: &'a Area<'b>) -> ChartBuilder<'a, 'b, SVGBackend<'b>> {
    let mut builder = ChartBuilder::on(area);
    builder.caption(labels.title, (FONT, 18)).margin(14).x_label_area_size(46).y_label_area_size(62);
    builder
}

/// The legend: names with their colours.
fn legend(area: &Area<'_>, names: &[&str], colours: [RGBColor; 4]) -> Drawn {
    let mut left = 70;
    for (name, colour) in names.iter().zip(colours.iter().cycle()) {
        area.draw(&Rectangle::new([(left, 2), (left + 10, 12)], colour.filled()))?;
        area.draw(&Text::new(*name, (left + 16, 2), (FONT, 15)))?;
        // An upper estimate, because the width of a letter is unknown here.
        left += 48 + 8 * i32::try_from(name.chars().count()).unwrap_or(0);
    }
    Ok(())
}

/// Numbers on an axis, without the digits that floats add.
#[allow(clippy::trivially_copy_pass_by_ref)] // as the library calls it
fn number(value: &f64) -> String {
    ((value * 1e6).round() / 1e6).to_string()
}

fn check(labels: Labels<'_>, mut numbers: impl Iterator<Item = f64>) -> Result<(), PlotError> {
    let wrong = |what| Err(PlotError::Data { title: labels.title.to_owned(), what });
    match numbers.next() {
        None => wrong("nothing to show"),
        Some(first) if first.is_finite() && numbers.all(f64::is_finite) => Ok(()),
        Some(_) => wrong("a number that is not finite"),
    }
}

/// From the least of the numbers to the greatest.
fn span(numbers: impl Iterator<Item = f64>) -> Range<f64> {
    numbers.fold(f64::INFINITY..f64::NEG_INFINITY, |span, number| span.start.min(number)..span.end.max(number))
}

/// A margin on both sides, so that nothing is on the edge and no axis has length zero.
fn widened(span: &Range<f64>) -> Range<f64> {
    let room = if span.end > span.start { 0.04 * (span.end - span.start) } else { 1.0 };
    span.start - room..span.end + room
}

#[cfg(test)]
mod tests {
    use super::*;
    use roxmltree::Document;

    const LABELS: Labels<'_> = Labels { title: "Moves & <stones>", x: "stones across", y: "moves up" };

    fn point(x: f64, y: f64, error: f64) -> Point {
        Point { x, y, error }
    }

    fn texts<'a>(document: &'a Document<'_>) -> Vec<&'a str> {
        let texts = document.descendants().filter(|node| node.has_tag_name("text"));
        texts.filter_map(|node| node.text()).map(str::trim).collect()
    }

    /// The values of an attribute of all elements of that name and that fill or stroke.
    fn numbers(document: &Document<'_>, name: &str, colour: &str, attribute: &str) -> Vec<f64> {
        let of_colour =
            |node: &roxmltree::Node<'_, '_>| [node.attribute("fill"), node.attribute("stroke")].contains(&Some(colour));
        let elements = document.descendants().filter(|node| node.has_tag_name(name)).filter(of_colour);
        elements.map(|node| node.attribute(attribute).unwrap().parse().unwrap()).collect()
    }

    #[test]
    fn a_line_chart_has_its_words_line_points_and_errors() {
        let line = Line {
            name: "measured",
            points: vec![point(1.0, 2.0, 0.0), point(2.0, 6.0, 0.5), point(3.0, 4.0, 0.0)],
            joined: true,
        };
        let svg = line_chart(LABELS, std::slice::from_ref(&line)).unwrap();
        let document = Document::parse(&svg).unwrap();
        let root = document.root_element();
        assert_eq!((root.tag_name().name(), root.attribute("viewBox")), ("svg", Some("0 0 800 480")));
        let words = texts(&document);
        for word in [LABELS.title, LABELS.x, LABELS.y, "2", "0"] {
            assert!(words.contains(&word), "{word} is not in {words:?}");
        }
        assert!(!words.contains(&"measured"), "one line needs no legend");
        // Higher values are higher up, where the coordinate is smaller.
        let up = numbers(&document, "circle", "#0072B2", "cy");
        let across = numbers(&document, "circle", "#0072B2", "cx");
        let points: Vec<(f64, f64)> = across.into_iter().zip(up).collect();
        // The error bar has its own dot, at the same place.
        assert_eq!(points.len(), 4);
        let (first, second, third) = (points[1], points[2], points[3]);
        assert_eq!(points[0], second);
        assert!(second.1 < third.1 && third.1 < first.1 && first.0 < second.0 && second.0 < third.0, "{points:?}");
        assert!((third.0 + first.0 - 2.0 * second.0).abs() <= 1.0, "even steps across");
        let joined = document.descendants().filter(|node| node.attribute("stroke-width") == Some("2"));
        assert_eq!(joined.count(), 1);

        let alone = Line { joined: false, ..line.clone() };
        let svg = line_chart(LABELS, &[line, Line { name: "published", ..alone }]).unwrap();
        let document = Document::parse(&svg).unwrap();
        let words = texts(&document);
        assert!(words.contains(&"measured") && words.contains(&"published"), "{words:?}");
        let joined = document.descendants().filter(|node| node.attribute("stroke-width") == Some("2"));
        assert_eq!(joined.count(), 1);
    }

    #[test]
    fn bars_are_as_high_as_their_parts_and_stand_on_one_another() {
        let bars = [Bar { name: "1v1", parts: vec![10.0, 30.0] }, Bar { name: "2v1", parts: vec![20.0, 0.0] }];
        let svg = bar_chart(LABELS, &["won", "drawn"], &bars).unwrap();
        let document = Document::parse(&svg).unwrap();
        let words = texts(&document);
        for word in ["1v1", "2v1", "won", "drawn", LABELS.title, LABELS.x, LABELS.y] {
            assert!(words.contains(&word), "{word} is not in {words:?}");
        }
        // The last of each colour is the mark in the legend.
        let heights = |colour| numbers(&document, "rect", colour, "height");
        let tops = |colour| numbers(&document, "rect", colour, "y");
        let (won, drawn) = (heights("#0072B2"), heights("#787878"));
        assert_eq!((won.len(), drawn.len()), (3, 3));
        for (height, expected) in [(won[1], 2.0), (drawn[0], 3.0), (drawn[1], 0.0)] {
            assert!((height - expected * won[0]).abs() <= 3.0, "{height} is not {expected} times {}", won[0]);
        }
        assert!((tops("#787878")[0] + drawn[0] - tops("#0072B2")[0]).abs() <= 1.0);
    }

    #[test]
    fn nothing_comes_from_outside() {
        let line = Line { name: "one", points: vec![point(5.0, 0.0, 0.0)], joined: true };
        let svg = line_chart(LABELS, &[line]).unwrap();
        let document = Document::parse(&svg).unwrap();
        for node in document.descendants().filter(roxmltree::Node::is_element) {
            assert!(!["script", "style", "image", "use", "foreignObject"].contains(&node.tag_name().name()));
            assert!(node.attributes().all(|attribute| !attribute.name().contains("href")));
            assert!(node.attribute("font-family").is_none_or(|family| family == FONT));
        }
        let background = document.descendants().find(|node| node.has_tag_name("rect")).unwrap();
        assert_eq!(background.attribute("fill"), Some("#FFFFFF"));
        assert_eq!(background.attribute("width"), Some("800"));
    }

    #[test]
    fn what_cannot_be_drawn_is_refused() {
        let line = |points| [Line { name: "line", points, joined: true }];
        let refused = |result: Result<String, PlotError>| result.unwrap_err().to_string();
        assert!(refused(line_chart(LABELS, &line(vec![]))).contains("nothing to show"));
        assert!(refused(line_chart(LABELS, &line(vec![point(0.0, f64::NAN, 0.0)]))).contains("not finite"));
        assert!(refused(bar_chart(LABELS, &[], &[])).contains("nothing to show"));
        let single = [Bar { name: "single", parts: vec![1.0] }];
        let drawn = bar_chart(LABELS, &["part"], &single).unwrap();
        assert!(drawn.contains("single") && !drawn.contains("width=\"-"), "{drawn}");
        let below = [Bar { name: "below", parts: vec![-1.0] }];
        assert!(refused(bar_chart(LABELS, &["part"], &below)).contains("negative"));
    }
}
