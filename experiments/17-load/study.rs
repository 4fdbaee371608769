//! The server under load: how many queries a second it answers, how quickly, what slow and overloading clients do to the
//! others, and whether its memory grows.
//!
//! Everything goes over sockets of this machine to a server in its own process, but on the same cores.

use std::error::Error;
use std::fmt::Write as _;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use axum::body::{Body, to_bytes};
use axum::http::{StatusCode, Uri};
use comfy_table::{Table, presets};
use fanorona::board::{Board, BoardSize, Diagonals};
use fanorona::index::{Slice, placements};
use fanorona::rules::{Position, Side};
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use studies::number;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

type Failure = Box<dyn Error + Send + Sync>;

/// A server that ends with this value.
struct Server {
    process: Child,
    address: String,
}

impl Server {
    fn start(program: &Path, database: &Path, options: &[&str]) -> Result<Self, Failure> {
        let mut process = Command::new(program)
            .args(["serve", "--bind", "127.0.0.1:0", "--db"])
            .arg(database)
            .args(options)
            .stdout(Stdio::piped())
            .spawn()?;
        let mut line = String::new();
        BufReader::new(process.stdout.take().ok_or("no output")?).read_line(&mut line)?;
        let address = line.trim().trim_start_matches("http://").trim_end_matches('/').to_owned();
        Ok(Self { process, address })
    }

    /// Bytes of memory in use, read from Linux.
    fn memory(&self) -> Option<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.process.id())).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
        Some(line.split_whitespace().next()?.parse::<u64>().ok()? << 10)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Paths of queries of random positions of up to `stones` stones.
fn queries(size: BoardSize, stones: usize, count: usize) -> Vec<String> {
    let points = Board::<u64>::new(size, Diagonals::Corner).points();
    let slices: Vec<Slice> = Slice::up_to(stones, points).collect();
    let total: u64 = slices.iter().map(|&slice| placements(points, slice)).sum();
    let mut random = fastrand::Rng::with_seed(7);
    let one = || {
        let mut number = random.u64(..total);
        let slice = slices.iter().find(|&&slice| {
            let here = placements(points, slice);
            let found = number < here;
            number = number.saturating_sub(here);
            found
        });
        let slice = *slice.expect("the number is below the sum");
        let mut all: Vec<usize> = (0..points).collect();
        random.shuffle(&mut all);
        let set = |points: &[usize]| points.iter().fold(0u64, |set, point| set | 1 << point);
        let position =
            Position::of_sides(Side::White, set(&all[..slice.mover]), set(&all[slice.mover..slice.stones()]));
        format!("/api/{size}?position={}", position.to_text(size).replace(' ', "_"))
    };
    std::iter::repeat_with(one).take(count).collect()
}

/// The results of many queries.
#[derive(Default)]
struct Outcome {
    /// Microseconds for each answer.
    answered: Vec<u64>,
    /// Rejected with 503.
    refused: u64,
    /// Anything else.
    failed: u64,
    seconds: f64,
}

#[allow(clippy::cast_precision_loss)] // for people
impl Outcome {
    fn percentile(&self, share: f64) -> String {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let place = (self.answered.len() as f64 * share) as usize;
        let micros = self.answered.get(place.min(self.answered.len().saturating_sub(1)));
        micros.map_or("-".to_owned(), |&micros| format!("{:.1} ms", micros as f64 / 1000.0))
    }

    fn rate(&self) -> String {
        format!("{:.0}", self.answered.len() as f64 / self.seconds)
    }
}

/// Sends queries on several connections, each waiting for its answer before the next, until the time is over or all are
/// answered.
async fn ask(address: &str, queries: &Arc<Vec<String>>, connections: usize, time: Duration, most: u64) -> Outcome {
    let start = Instant::now();
    let (stop, asked) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
    let client = |number: usize| {
        let (address, queries, stop, asked) = (address.to_owned(), queries.clone(), stop.clone(), asked.clone());
        async move {
            let client = Client::builder(TokioExecutor::new()).build_http::<Body>();
            let (mut outcome, mut next) = (Outcome::default(), number * 7919);
            while !stop.load(Ordering::Relaxed) && asked.fetch_add(1, Ordering::Relaxed) < most {
                let uri: Uri = format!("http://{address}{}", queries[next % queries.len()]).parse().expect("a path");
                next += 1;
                let sent = Instant::now();
                let answer = async {
                    let response = client.get(uri).await.ok()?;
                    let status = response.status();
                    let body = to_bytes(Body::new(response.into_body()), usize::MAX).await.ok()?;
                    Some((status, body))
                };
                match answer.await {
                    Some((StatusCode::OK, body)) if body.starts_with(b"{") => {
                        outcome.answered.push(u64::try_from(sent.elapsed().as_micros()).unwrap_or(u64::MAX));
                    }
                    Some((StatusCode::SERVICE_UNAVAILABLE, _)) => outcome.refused += 1,
                    _ => outcome.failed += 1,
                }
            }
            outcome
        }
    };
    let clients: Vec<_> = (0..connections).map(|number| tokio::spawn(client(number))).collect();
    let timer = tokio::spawn({
        let stop = stop.clone();
        async move {
            tokio::time::sleep(time).await;
            stop.store(true, Ordering::Relaxed);
        }
    });
    let mut all = Outcome::default();
    for client in clients {
        let one = client.await.unwrap_or_default();
        all.answered.extend(one.answered);
        (all.refused, all.failed) = (all.refused + one.refused, all.failed + one.failed);
    }
    timer.abort();
    all.seconds = start.elapsed().as_secs_f64();
    all.answered.sort_unstable();
    all
}

/// A connection of the client with that number, each of which has an address of this machine.
async fn connect_as(client: u8, address: &str) -> Option<TcpStream> {
    let socket = TcpSocket::new_v4().ok()?;
    socket.bind(SocketAddr::from(([127, 0, 1, client], 0))).ok()?;
    socket.connect(address.parse().ok()?).await.ok()
}

/// Connections that never finish their request, a byte a second, until the time is over.
async fn dawdle(client: u8, address: String, time: Duration) {
    let end = Instant::now() + time;
    let Some(mut stream) = connect_as(client, &address).await else { return };
    for byte in b"GET /api/tables HTTP/1.1\r\nHost: localhost\r\nX-Slow: ".iter().chain(std::iter::repeat(&b'x')) {
        if Instant::now() > end || stream.write_all(&[*byte]).await.is_err() {
            return;
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}

/// Connections that ask again and again and never read an answer.
async fn ignore(client: u8, address: String, query: String, time: Duration) {
    let Some(mut stream) = connect_as(client, &address).await else { return };
    let request = format!("GET {query} HTTP/1.1\r\nHost: localhost\r\n\r\n");
    let asking = async { while stream.write_all(request.as_bytes()).await.is_ok() {} };
    // When the server reads no more, the write waits.
    let _ = tokio::time::timeout(time, asking).await;
}

/// The longest time that `/health` takes, asked five times a second; `None` if it is not answered once.
async fn health(address: String, time: Duration) -> Option<Duration> {
    let (end, mut longest) = (Instant::now() + time, Duration::ZERO);
    while Instant::now() < end {
        let begin = Instant::now();
        let mut stream = connect_as(0, &address).await?;
        stream.write_all(b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").await.ok()?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.ok()?;
        answer.starts_with("HTTP/1.1 200").then_some(())?;
        longest = longest.max(begin.elapsed());
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    Some(longest)
}

/// The server's answer to the bytes of a request; nothing if it only closes.
async fn status_of(address: &str, request: Vec<u8>) -> String {
    let asking = async {
        let stream = TcpStream::connect(address).await.ok()?;
        let (mut reader, mut writer) = stream.into_split();
        // It may answer and close before it has read all.
        let writing = tokio::spawn(async move {
            let _ = writer.write_all(&request).await;
            writer
        });
        let mut head = vec![0; 12];
        let read = reader.read_exact(&mut head).await;
        let _ = writing.await;
        read.ok().and_then(|_| String::from_utf8(head).ok()).map(|head| head[9..].to_owned())
    };
    let answer = tokio::time::timeout(Duration::from_secs(30), asking).await;
    answer.ok().flatten().unwrap_or_else(|| "closed".to_owned())
}

fn table(header: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::ASCII_MARKDOWN).set_header(header);
    table
}

#[allow(clippy::cast_precision_loss)] // for people
async fn study(program: PathBuf, database: PathBuf, stones: usize, many: u64) -> Result<String, Failure> {
    let size: BoardSize = "9x5".parse()?;
    let asked = Arc::new(queries(size, stones, 200_000));
    let mut text = String::new();
    let seconds = Duration::from_secs(20);

    let server = Server::start(&program, &database, &["--connections", "1100", "--client-connections", "1100"])?;
    ask(&server.address, &asked, 16, Duration::from_secs(10), u64::MAX).await;
    let mut rows = table(&["connections", "answers a second", "median", "99 %", "rejected with 503", "other"]);
    for connections in [1, 64, 1000] {
        let outcome = ask(&server.address, &asked, connections, seconds, u64::MAX).await;
        rows.add_row([
            connections.to_string(),
            outcome.rate(),
            outcome.percentile(0.5),
            outcome.percentile(0.99),
            outcome.refused.to_string(),
            outcome.failed.to_string(),
        ]);
    }
    writeln!(text, "Random positions of 9x5 to {stones} stones, {} s each:\n\n{rows}\n", seconds.as_secs())?;

    // With the limits that it has by default.
    let limited = Server::start(&program, &database, &[])?;
    let mut rows =
        table(&["beside 40 connections", "answers a second", "median", "99 %", "503", "other", "/health at most"]);
    for (name, slow, deaf, clients) in [
        ("nobody", 0, 0, 1),
        ("600 that send a byte a second, from one address", 600, 0, 1),
        ("600 from 14 addresses", 600, 0, 14),
        ("300 that never read, from one address", 0, 300, 1),
        ("300 from 14 addresses", 0, 300, 14),
    ] {
        let mut rude = Vec::new();
        let (address, client) = (&limited.address, |number: usize| u8::try_from(1 + number % clients).unwrap_or(1));
        rude.extend((0..slow).map(|n| tokio::spawn(dawdle(client(n), address.clone(), seconds))));
        rude.extend((0..deaf).map(|n| tokio::spawn(ignore(client(n), address.clone(), asked[n].clone(), seconds))));
        tokio::time::sleep(Duration::from_secs(1)).await;
        let health = tokio::spawn(health(address.clone(), seconds * 9 / 10));
        let outcome = ask(address, &asked, 40, seconds * 19 / 20, u64::MAX).await;
        for client in rude {
            client.await?;
        }
        rows.add_row([
            name.to_owned(),
            outcome.rate(),
            outcome.percentile(0.5),
            outcome.percentile(0.99),
            outcome.refused.to_string(),
            outcome.failed.to_string(),
            health.await?.map_or("no answer".to_owned(), |time| format!("{:.2} s", time.as_secs_f64())),
        ]);
    }
    drop(limited);
    writeln!(text, "Slow and unresponsive clients:\n\n{rows}\n")?;

    let post = |bytes: usize| {
        let head = format!(
            "POST /api/game HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {bytes}\r\n\r\n"
        );
        [head.into_bytes(), vec![b' '; bytes]].concat()
    };
    let get = |path: usize, header: usize| {
        format!("GET /{} HTTP/1.1\r\nHost: localhost\r\nX-Long: {}\r\n\r\n", "a".repeat(path), "b".repeat(header))
            .into_bytes()
    };
    let mut rows = table(&["request", "status"]);
    for (name, request) in [
        ("a body of 300 KB", post(300_000)),
        ("a body of 100 MB", post(100_000_000)),
        ("a path of 10 KB", get(10_000, 1)),
        ("a path of 1 MB", get(1_000_000, 1)),
        ("a header of 10 MB", get(1, 10_000_000)),
        ("ten megabytes of zeros", vec![0; 10_000_000]),
    ] {
        rows.add_row([name.to_owned(), status_of(&server.address, request).await]);
    }
    writeln!(text, "Requests that are too large:\n\n{rows}\n")?;

    let mut rows = table(&["queries", "memory"]);
    let memory =
        |server: &Server| server.memory().map_or("unknown".to_owned(), |bytes| format!("{:.1} MB", bytes as f64 / 1e6));
    rows.add_row(["before".to_owned(), memory(&server)]);
    let (mut total, mut failed, start) = (0u64, 0, Instant::now());
    while total < many {
        let outcome = ask(&server.address, &asked, 64, Duration::from_secs(3600), many / 5).await;
        total += outcome.answered.len() as u64;
        failed += outcome.failed + outcome.refused;
        if outcome.answered.is_empty() {
            return Err("the server answers no more".into());
        }
        rows.add_row([total.to_string(), memory(&server)]);
    }
    let seconds = start.elapsed().as_secs_f64();
    writeln!(text, "Many queries on 64 connections, {failed} not answered, in {seconds:.0} s:\n\n{rows}")?;
    let status = ask(&server.address, &asked, 1, Duration::from_secs(5), 1).await;
    if status.answered.len() != 1 {
        return Err("the server does not answer at the end".into());
    }
    Ok(text)
}

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, program, database, stones, many] = &arguments[..] else {
        return Err("usage: load_study PROGRAM DATABASE STONES QUERIES".into());
    };
    let (stones, many) = (number(stones)?, number(many)?);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    print!("{}", runtime.block_on(study(program.into(), database.into(), stones, many))?);
    Ok(())
}
