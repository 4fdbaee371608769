//! Fits the evaluation of the engine to scores of its searches, and with few stones to values of tables.
//!
//! `engine_study games FILE SIZE GAMES NODES SEED` appends quiet positions near games, with scores of searches, to a file;
//! `engine_study tables FILE DB POSITIONS SEED` appends positions of few stones, with their values;
//! `engine_study fit WEIGHTS FILE...` fits the weights to them.

mod fit;
mod games;
mod tables;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match words[..] {
        ["games", file, size, games, nodes, seed] => games::play(file, size, [games, nodes, seed]),
        ["tables", file, database, positions, seed] => tables::look_up(file, database, [positions, seed]),
        ["fit", weights, ref files @ ..] if !files.is_empty() => fit::fit(weights, files),
        _ => Err("usage: engine_study games FILE SIZE GAMES NODES SEED, engine_study tables FILE DB POSITIONS SEED, \
                  or engine_study fit WEIGHTS FILE..."
            .into()),
    };
    if let Err(error) = done {
        eprintln!("error: {error}");
        std::process::exit(1);
    }
}
