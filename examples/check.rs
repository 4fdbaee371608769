//! Checks a certificate with the tables it uses: `cargo run --release --example check -- 5x5.proof`.

use std::error::Error;
use std::path::Path;

use fanorona::{Certificate, CheckProgress, Database};

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("give the path of a certificate")?;
    let certificate = Certificate::read(Path::new(&path))?;
    certificate.prove(&Database::from("db"), 4 << 30, &|progress| {
        if let CheckProgress::Positions { done, total } = progress {
            eprint!("\r{done} of {total} positions");
        }
    })?;
    eprintln!();
    for claim in &certificate.claims {
        println!("{}: {}, proved", claim.position.to_text(certificate.size), claim.value.words());
    }
    Ok(())
}
