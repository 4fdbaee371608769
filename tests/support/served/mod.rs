//! A server as a process, and a plain client.
#![allow(dead_code)] // each test file uses some of it

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::program::{Place, Ran, signal};

/// A server that runs.
pub struct Server {
    pub child: Child,
    pub address: String,
}

impl Server {
    /// Starts it on a free port, and waits until it says where it is.
    pub fn start(place: &Place, arguments: &str) -> Self {
        Self::start_at(place, "127.0.0.1:0", arguments)
    }

    /// Starts it at an address.
    pub fn start_at(place: &Place, bind: &str, arguments: &str) -> Self {
        let arguments = format!("serve --bind {bind} {arguments}");
        Self::of(&mut place.command(&arguments.split_whitespace().collect::<Vec<_>>()))
    }

    /// Starts it by a command.
    pub fn of(command: &mut Command) -> Self {
        Self::begun(command).unwrap_or_else(|ran| panic!("no address: {}{}", ran.out, ran.err))
    }

    /// Starts it by a command, which may end instead.
    pub fn begun(command: &mut Command) -> Result<Self, Ran> {
        let mut child =
            command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut line).expect("a line");
        match line.trim().strip_prefix("http://").and_then(|rest| rest.strip_suffix('/')) {
            Some(address) => Ok(Self { child, address: address.replace("0.0.0.0", "127.0.0.1") }),
            None => Err(Ran::of(child)),
        }
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).expect("a server that listens");
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream
    }

    /// Sends a request and reads until the server closes.
    pub fn exchange(&self, request: &str) -> String {
        let mut stream = self.connect();
        stream.write_all(request.as_bytes()).unwrap();
        all_of(stream)
    }

    pub fn get(&self, path: &str) -> String {
        self.exchange(&format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"))
    }

    /// The status and the body that it answers with; `None` if the connection breaks before.
    pub fn answer(&self, path: &str) -> Option<(u16, String)> {
        let response = self.get(path);
        let (head, body) = response.split_once("\r\n\r\n")?;
        Some((head.split(' ').nth(1)?.parse().ok()?, body.to_owned()))
    }

    pub fn signal(&self, name: &str) {
        signal(&self.child, name);
    }

    pub fn ends(self) -> Ran {
        Ran::of(self.child)
    }
}

pub fn all_of(mut stream: TcpStream) -> String {
    let mut bytes = Vec::new();
    match stream.read_to_end(&mut bytes) {
        Ok(_) => {}
        // The server may close before it has read all.
        Err(error) if error.kind() == ErrorKind::ConnectionReset => {}
        Err(error) => panic!("{error}"),
    }
    String::from_utf8(bytes).expect("text")
}

/// The body of a response.
pub fn body(response: &str) -> Value {
    let (head, body) = response.split_once("\r\n\r\n").expect("a head");
    assert!(head.contains("content-type: application/json"), "{head}");
    serde_json::from_str(body).expect("JSON")
}
