//! What clients may hold: connections, long answers that they have not read, and live games.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use axum::body::{Body, Bytes, HttpBody, to_bytes};
use axum::http::Response;
use axum::response::IntoResponse;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::api::Problem;

/// The most KiB of long answers that all clients together have not read.
const UNREAD_KIB: usize = 64 << 10;

/// The most KiB of long answers that a client has not read.
const UNREAD_KIB_OF_CLIENT: usize = 8 << 10;

/// The most connections of a client beyond those that the server has places for.
const OVERFLOW_OF_CLIENT: usize = 2;

/// An answer up to this many bytes is not long: the number of connections limits these well enough. So is an answer made piece by piece,
/// of which about as much waits to be sent, but for single long pieces.
const SHORT: u64 = 64 << 10;

/// Long answers in memory until their clients have read them, in KiB.
#[derive(Debug)]
pub struct UnreadAnswers(Arc<Semaphore>);

impl Default for UnreadAnswers {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(UNREAD_KIB)))
    }
}

/// What a client address may still hold.
#[derive(Debug)]
pub struct Client {
    connections: Arc<Semaphore>,
    /// Connections for which the server has no place.
    overflow: Arc<Semaphore>,
    unread: Arc<Semaphore>,
    games: Arc<Semaphore>,
    /// Connections that follow live games: its own, and those of all clients.
    following: [Arc<Semaphore>; 2],
}

/// What a live game counts against.
#[derive(Debug)]
pub struct LiveShare {
    _place: OwnedSemaphorePermit,
    /// Keeps the client known while it has games.
    client: Arc<Client>,
}

impl LiveShare {
    /// Whether it is that client's.
    pub fn is_of(&self, client: &Arc<Client>) -> bool {
        Arc::ptr_eq(&self.client, client)
    }
}

impl Client {
    /// A place for a connection; `None` if the client has all that it may have.
    #[must_use]
    pub fn connect(&self) -> Option<OwnedSemaphorePermit> {
        self.connections.clone().try_acquire_owned().ok()
    }

    /// A place for a connection for which the server has none; `None` if the client has more of these than it may.
    #[must_use]
    pub fn connect_overflow(&self) -> Option<OwnedSemaphorePermit> {
        self.overflow.clone().try_acquire_owned().ok()
    }

    /// A place for a live game; `None` if the client has begun as many as it may have.
    #[must_use]
    pub fn begin_game(self: &Arc<Self>) -> Option<LiveShare> {
        let place = self.games.clone().try_acquire_owned().ok()?;
        Some(LiveShare { _place: place, client: self.clone() })
    }

    /// Places for a connection that follows a live game, which may last for hours; `None` if there are too many.
    #[must_use]
    pub fn follow(&self) -> Option<[OwnedSemaphorePermit; 2]> {
        let [own, all] = &self.following;
        Some([own.clone().try_acquire_owned().ok()?, all.clone().try_acquire_owned().ok()?])
    }
}

/// The clients that have connections.
#[derive(Debug)]
pub struct Clients {
    /// The most connections of one.
    most: usize,
    /// Connections of all that follow live games.
    following: Arc<Semaphore>,
    known: Mutex<HashMap<IpAddr, Weak<Client>>>,
}

impl Clients {
    /// Clients with at most so many connections each, out of so many in all. A client may begin as many live games as it may have connections. A
    /// third of its connections and half of all may follow live games, so that the others stay free for short requests.
    #[must_use]
    pub fn new(most: usize, all: usize) -> Self {
        let [most, all] = [most, all].map(|number| number.clamp(1, Semaphore::MAX_PERMITS));
        Self { most, following: Semaphore::new(all.div_ceil(2)).into(), known: Mutex::default() }
    }

    /// The client with an address. Addresses of IPv6 with the same first half are one client: a network usually has all of them.
    #[must_use]
    pub fn client(&self, address: IpAddr) -> Arc<Client> {
        let address = match address {
            IpAddr::V6(address) if address.to_ipv4_mapped().is_none() => {
                IpAddr::V6((address.to_bits() & !u128::from(u64::MAX)).into())
            }
            address => address.to_canonical(),
        };
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(client) = known.get(&address).and_then(Weak::upgrade) {
            return client;
        }
        known.retain(|_, client| client.strong_count() > 0);
        let (connections, unread) = (Semaphore::new(self.most), Semaphore::new(UNREAD_KIB_OF_CLIENT));
        let (games, following) = (Semaphore::new(self.most), Semaphore::new(self.most.div_ceil(3)));
        let client = Arc::new(Client {
            connections: connections.into(),
            overflow: Semaphore::new(OVERFLOW_OF_CLIENT).into(),
            unread: unread.into(),
            games: games.into(),
            following: [following.into(), self.following.clone()],
        });
        known.insert(address, Arc::downgrade(&client));
        client
    }
}

/// The bytes of an answer, with what they count against.
struct Held {
    bytes: Bytes,
    _places: [Option<OwnedSemaphorePermit>; 2],
}

impl AsRef<[u8]> for Held {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl UnreadAnswers {
    /// Counts a long answer until its last byte is on the way. Where too much is unread, the answer is status 503. Short answers are
    /// always given, among them those to requests that have changed something.
    pub async fn hold(&self, client: Option<&Client>, answer: Response<Body>) -> Response<Body> {
        let Some(length) = answer.body().size_hint().exact().filter(|&length| length > SHORT) else { return answer };
        let (parts, body) = answer.into_parts();
        let places = |unread: &Arc<Semaphore>, most: usize| {
            let kib = usize::try_from(length / 1024 + 1).unwrap_or(most).min(most);
            unread.clone().try_acquire_many_owned(u32::try_from(kib).unwrap_or(u32::MAX)).ok()
        };
        let of_all = places(&self.0, UNREAD_KIB);
        let of_client = client.map(|client| places(&client.unread, UNREAD_KIB_OF_CLIENT));
        if of_all.is_none() || matches!(of_client, Some(None)) {
            return Problem::overloaded().into_response();
        }
        let places = [of_all, of_client.flatten()];
        let Ok(bytes) = to_bytes(body, usize::MAX).await else { return Problem::overloaded().into_response() };
        let held = Bytes::from_owner(Held { bytes, _places: places });
        Response::from_parts(parts, held.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_client_that_does_not_read_leaves_room_for_others() {
        let (unread, clients) = (UnreadAnswers::default(), Clients::new(2, 9));
        let client = |address: &str| clients.client(address.parse().expect("an address"));
        let (one, other) = (client("10.0.0.1"), client("10.0.0.2"));
        let answer = || Response::new(Body::from(vec![0; 5 << 20]));
        let first = unread.hold(Some(&one), answer()).await;
        assert_eq!(first.status(), 200);
        assert_eq!(unread.hold(Some(&one), answer()).await.status(), 503);
        let second = unread.hold(Some(&other), answer()).await;
        assert_eq!(second.status(), 200);
        drop(first);
        assert_eq!(unread.hold(Some(&one), answer()).await.status(), 200);
    }

    #[tokio::test]
    async fn short_answers_and_those_made_piece_by_piece_are_always_given() {
        let (unread, client) = (UnreadAnswers::default(), Clients::new(2, 9).client([10, 0, 0, 1].into()));
        let stream = || Body::from_stream(futures_util::stream::pending::<Result<Bytes, axum::Error>>());
        let mut held = Vec::new();
        for body in (0..200).flat_map(|_| [stream(), Body::from(vec![0; 64 << 10])]) {
            held.push(unread.hold(Some(&client), Response::new(body)).await);
        }
        assert!(held.iter().all(|answer| answer.status() == 200));
    }

    #[test]
    fn a_client_has_so_many_connections() {
        let clients = Clients::new(2, 9);
        let client = |address: &str| clients.client(address.parse().expect("an address"));
        let one = client("10.0.0.1");
        let (first, second) = (one.connect(), one.connect());
        assert!(first.is_some() && second.is_some() && one.connect().is_none());
        assert!(client("10.0.0.2").connect().is_some());
        assert!(client("::ffff:10.0.0.1").connect().is_none());
        drop(first);
        assert!(client("10.0.0.1").connect().is_some());
        let (here, there) = (client("2001:db8::1"), client("2001:db8:0:1::1"));
        assert!(Arc::ptr_eq(&here, &client("2001:db8::ffff:2")) && !Arc::ptr_eq(&here, &there));
        // Who has gone is forgotten.
        drop((one, here, there, second));
        client("10.0.0.3");
        assert_eq!(clients.known.lock().expect("no panic").len(), 1);
    }
}
