//! Solves a board with a checkpoint, a time limit and a certificate: `cargo run --release --example solve -- 5x5`.

use std::error::Error;
use std::path::Path;
use std::time::Duration;

use fanorona::{Budget, Checkpoint, Control, Goal, Problem, RuleSet, SolveEvent, SolveOptions, build, solve};

fn main() -> Result<(), Box<dyn Error>> {
    let size = std::env::args().nth(1).unwrap_or_else(|| "5x5".to_owned()).parse()?;
    let (rules, stones, database) = (RuleSet::default(), 6, Path::new("db"));
    build(Goal::values(size, rules, stones), database, Budget::new(4 << 30))?;

    let mut options = SolveOptions::new(database, stones, 4 << 30);
    options.limit = Some(Duration::from_secs(600));
    options.checkpoint = Some(Checkpoint { path: "start.checkpoint".into(), every: Duration::from_secs(60) });
    options.certificate = Some(format!("{size}.proof").into());
    let solved = solve(&Problem::start(size, rules), &options, &mut |event| {
        if let SolveEvent::Searching { side, progress, .. } = event {
            eprintln!("can {} win? {} nodes", side.name(), progress.nodes);
        }
        Control::Continue
    })?;
    println!("{size}: {}, {} nodes", solved.solution.value, solved.totals.nodes);
    Ok(())
}
