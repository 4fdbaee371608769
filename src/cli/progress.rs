//! Progress on standard error: a bar in a terminal, plain lines elsewhere.

use std::io::IsTerminal;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::index::{Slice, placements};
use crate::retro::seconds_left;

use super::options::duration;

/// Seconds between plain lines.
const LINE_INTERVAL: Duration = Duration::from_secs(10);

/// A bar over a known amount of work, in any unit that is proportional to time; or a spinner.
pub struct Progress {
    bar: ProgressBar,
    plain: Option<Mutex<Instant>>,
    start: Instant,
}

/// Slices that are loaded one after the other, with a bar over their positions.
pub struct Loading<'s> {
    slices: &'s [Slice],
    points: usize,
    progress: Progress,
}

#[allow(clippy::cast_precision_loss)] // for a progress bar
impl<'s> Loading<'s> {
    /// Of a board with that many points.
    pub fn new(slices: &'s [Slice], points: usize) -> Self {
        let positions: f64 = slices.iter().map(|&slice| placements(points, slice) as f64).sum();
        Self { slices, points, progress: Progress::new(positions) }
    }

    /// The slices; each counts as loaded when the next one is taken.
    pub fn slices(&self) -> impl Iterator<Item = Slice> + Clone {
        self.slices.iter().scan(0.0, |done, &slice| {
            self.progress.set(*done, || format!("loading {slice}"));
            *done += placements(self.points, slice) as f64;
            Some(slice)
        })
    }
}

impl Drop for Loading<'_> {
    fn drop(&mut self) {
        self.progress.finish();
    }
}

/// Work is counted in thousandths of its unit, so that a bar of few units still moves.
const SCALE: f64 = 1000.0;

impl Progress {
    /// A bar over that many units of work.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // positive
    pub fn new(work: f64) -> Self {
        Self::with(Some((work * SCALE) as u64), "[{elapsed_precise}] {bar:24} {percent:>3} %  {msg}  {prefix}")
    }

    /// A spinner, for work without a known end.
    pub fn endless() -> Self {
        Self::with(None, "[{elapsed_precise}] {spinner} {wide_msg}")
    }

    fn with(length: Option<u64>, template: &str) -> Self {
        let terminal = std::io::stderr().is_terminal();
        let bar = ProgressBar::with_draw_target(length, ProgressDrawTarget::stderr());
        bar.set_style(ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()));
        if terminal {
            bar.enable_steady_tick(Duration::from_millis(250));
        }
        let plain = (!terminal).then(|| Mutex::new(Instant::now()));
        Self { bar, plain, start: Instant::now() }
    }

    /// Shows how much is done, and what is being done. Cheap enough to be called often.
    pub fn set(&self, done: f64, message: impl FnOnce() -> String) {
        self.set_after(0.0, done, message);
    }

    /// The same if some of it was done before and took no time now.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)]
    pub fn set_after(&self, before: f64, done: f64, message: impl FnOnce() -> String) {
        let total = self.bar.length().unwrap_or(0) as f64 / SCALE;
        self.bar.set_position((done * SCALE) as u64);
        let elapsed = self.start.elapsed().as_secs_f64();
        let left = seconds_left(elapsed, before, done, total);
        let left = left.map_or(String::new(), |seconds| format!("{} left", duration(seconds)));
        if self.plain.is_none() {
            self.bar.set_prefix(left);
            self.bar.set_message(message());
        } else {
            self.show(|| format!("{:5.1} %  {}  {left}", 100.0 * done / total.max(1e-9), message()));
        }
    }

    /// Shows what is being done, where there is no amount of work. Cheap enough to be called often.
    pub fn show(&self, message: impl FnOnce() -> String) {
        let Some(last) = &self.plain else { return self.bar.set_message(message()) };
        let mut last = last.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if last.elapsed() >= LINE_INTERVAL {
            *last = Instant::now();
            note!("{}", message());
        }
    }

    /// Runs what prints to standard output, with the bar hidden.
    pub fn suspend<R>(&self, print: impl FnOnce() -> R) -> R {
        self.bar.suspend(print)
    }

    /// Prints a line that stays.
    pub fn line(&self, text: &str) {
        if self.plain.is_some() {
            note!("{text}");
        } else {
            self.bar.println(text);
        }
    }

    /// Removes the bar.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
