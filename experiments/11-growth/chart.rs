//! Draws the measurements of `run`: `growth_chart growth.csv growth.svg`.

use std::fs;

use fanorona::report::plot::{Labels, Line, Point, line_chart};

/// Columns of the measurements, their names in the legend, and their units.
const COLUMNS: [(usize, &str, f64); 3] =
    [(3, "seconds", 1.0), (4, "megabytes of memory", 1e6), (5, "megabytes on disk", 1e6)];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [measured, drawn] = &arguments[..] else { return Err("give the measurements and the file to draw".into()) };
    let mut records = Vec::new();
    for record in csv::Reader::from_path(measured)?.into_records() {
        records.push(record?);
    }
    let mut lines = Vec::new();
    for (column, name, unit) in COLUMNS {
        let mut points = Vec::new();
        for record in records.iter().filter(|record| &record[0] == "wdl") {
            let y: f64 = record[column].parse::<f64>()? / unit;
            points.push(Point { x: record[1].parse()?, y: y.log10(), error: 0.0 });
        }
        lines.push(Line { name, points, joined: true });
    }
    let labels = Labels { title: "Values of 9x5", x: "stones", y: "decimal logarithm" };
    fs::write(drawn, line_chart(labels, &lines)?)?;
    Ok(())
}
