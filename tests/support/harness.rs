//! Runs tests that need what not every machine has; where that is missing they are reported as ignored.

use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};

/// The tests of those names.
macro_rules! tests {
    ($($name:ident),* $(,)?) => { vec![$((stringify!($name), $name as fn())),*] };
}

/// Runs the tests, unless something is missing. The variable, set to `require`, has them fail then; set to `leave` it leaves them out
/// in any case.
pub fn run(missing: Option<&str>, variable: &str, tests: Vec<(&'static str, fn())>) -> ExitCode {
    let is_set = |wish| std::env::var(variable).is_ok_and(|value| value == wish);
    let missing = if is_set("leave") { Some("left out") } else { missing };
    let required = is_set("require");
    if let Some(missing) = missing {
        eprintln!("{missing}; {variable}=require makes that a failure");
    }
    let ignored = missing.is_some() && !required;
    let trial = |(name, test): (&str, fn())| {
        Trial::test(name, move || {
            test();
            Ok(())
        })
        .with_ignored_flag(ignored)
    };
    libtest_mimic::run(&Arguments::from_args(), tests.into_iter().map(trial).collect()).exit_code()
}
