//! Builds small tables and looks a position up: `cargo run --release --example probe -- "1B1/1W1/1W1 w"`.

use std::error::Error;
use std::path::Path;

use fanorona::{Budget, DEFAULT_CACHE_BYTES, Goal, PositionText, RuleSet, Tables, answer, build};

fn main() -> Result<(), Box<dyn Error>> {
    let text = std::env::args().nth(1).unwrap_or_else(|| "1B1/1W1/1W1 w".to_owned());
    let (position, rules, database) = (PositionText::parse(&text)?, RuleSet::default(), Path::new("db"));
    build(Goal::both(position.size(), rules, 4), database, Budget::default())?;

    let tables = Tables::open(database, position.size(), rules, DEFAULT_CACHE_BYTES)?;
    let position = position.on(position.size())?;
    let answer = answer(tables.rules(), &position, |mover, opponent| tables.look_up(mover, opponent))?;
    println!("{}: {}", answer.position, answer.known.value);
    for turn in answer.moves {
        println!("  {:8} {}", turn.text, turn.known.value);
    }
    Ok(())
}
