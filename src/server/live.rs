//! The live games of this server: in memory, each with a secret key for either side and one to watch.

use std::fmt;
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::http::StatusCode;
use serde::{Serialize, Serializer};

use crate::api::Problem;
use crate::game::Game;
use crate::rules::Side;

use super::clients::Client;
use super::live_game::LiveGame;

/// A game is forgotten when nobody has had it open for so long.
const FORGOTTEN_AFTER: Duration = Duration::from_secs(7 * 24 * 3600);

/// A secret key, 128 random bits in hexadecimal digits: it gives the right to do what it is for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Key(u128);

impl Key {
    fn random() -> Result<Self, Problem> {
        let mut bytes = [0; 16];
        let filled = getrandom::fill(&mut bytes);
        filled
            .map_err(|error| Problem::internal("the server has no random numbers; see its log", error.to_string()))?;
        Ok(Self(u128::from_le_bytes(bytes)))
    }
}

impl FromStr for Key {
    type Err = Problem;

    fn from_str(text: &str) -> Result<Self, Problem> {
        let digits = text.len() == 32 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        let key = u128::from_str_radix(text, 16).ok().filter(|_| digits);
        key.map(Self).ok_or_else(|| Problem::malformed("a key of a live game is 32 hexadecimal digits in lower case"))
    }
}

/// Keys are not for logs.
impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key")
    }
}

impl Serialize for Key {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{:032x}", self.0))
    }
}

/// The keys of a game.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Keys {
    white: Key,
    black: Key,
    watch: Key,
}

impl Keys {
    /// Each, with the side that its holder plays.
    fn with_sides(self) -> [(Key, Option<Side>); 3] {
        [(self.white, Some(Side::White)), (self.black, Some(Side::Black)), (self.watch, None)]
    }
}

/// A game, and the side that the holder of a key plays.
type Seat = (Arc<LiveGame>, Option<Side>);

/// The live games.
#[derive(Debug)]
pub struct LiveGames {
    max: usize,
    games: Mutex<Vec<(Keys, Arc<LiveGame>)>>,
}

impl LiveGames {
    /// At most so many games.
    pub fn new(max: usize) -> Self {
        Self { max, games: Mutex::default() }
    }

    /// A live game that continues that game.
    ///
    /// # Errors
    /// Status 403 if this server has no live games, 429 if the client has too many, 503 if the server has.
    pub fn begin(&self, game: Game, client: Option<&Arc<Client>>, now: Instant) -> Result<Keys, Problem> {
        if self.max == 0 {
            let message = "this server has no live games; start it with --live-games 100 to allow a hundred";
            return Err(Problem::new(StatusCode::FORBIDDEN, message));
        }
        let keys = Keys { white: Key::random()?, black: Key::random()?, watch: Key::random()? };
        let mut games = self.games.lock().unwrap_or_else(PoisonError::into_inner);
        games.retain(|(_, game)| game.unused_for(now) < FORGOTTEN_AFTER);
        if games.len() >= self.max {
            games.retain(|(_, game)| !game.is_left());
        }
        if games.len() >= self.max {
            let max = self.max;
            let message = format!("this server has {max} live games, its limit; try again later");
            return Err(Problem::new(StatusCode::SERVICE_UNAVAILABLE, message));
        }
        let share_of = |client: &Arc<Client>| {
            let share = client.begin_game().or_else(|| {
                games.retain(|(_, game)| !(game.is_left() && game.is_of(client)));
                client.begin_game()
            });
            share.ok_or_else(|| {
                let message = "your address has as many live games as this server allows; end one and leave it";
                Problem::new(StatusCode::TOO_MANY_REQUESTS, message)
            })
        };
        let share = client.map(share_of).transpose()?;
        games.push((keys, Arc::new(LiveGame::new(game, share, now))));
        Ok(keys)
    }

    /// The game of a key, and the side that the key is for.
    ///
    /// # Errors
    /// Status 404 if there is none.
    pub fn seat(&self, key: Key) -> Result<Seat, Problem> {
        let games = self.games.lock().unwrap_or_else(PoisonError::into_inner);
        let mut seats = games.iter().flat_map(|(keys, game)| keys.with_sides().map(|(own, side)| (own, game, side)));
        seats.find(|&(own, ..)| own == key).map(|(_, game, side)| (game.clone(), side)).ok_or_else(|| {
            Problem::missing(
                "there is no live game with this key; the server forgets a game when nobody has opened it for 7 days, when it is \
                 over and its place is needed, and when the server is restarted",
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;
    use crate::game::{GameRequest, PlayRules};
    use crate::server::clients::Clients;
    use crate::server::live_game::{Follower, LiveAction, MAX_GAME};

    fn game() -> Game {
        GameRequest { board: "3x3".to_owned(), ..GameRequest::default() }.replay().expect("a game")
    }

    #[test]
    fn games_are_forgotten_when_nobody_opens_them() {
        let (games, now) = (LiveGames::new(2), Instant::now());
        let begin = |now| games.begin(game(), None, now).map(|keys| keys.white);
        let (first, second) = (begin(now).expect("a place"), begin(now).expect("a place"));
        assert_eq!(begin(now).expect_err("no place").status, StatusCode::SERVICE_UNAVAILABLE);
        // A game that is open is kept, however long; the other is not.
        let (open, side) = games.seat(first).expect("a game");
        let follower = Follower::new(open, side);
        let later = Instant::now() + FORGOTTEN_AFTER;
        let third = begin(later).expect("a place");
        assert!(games.seat(first).is_ok() && games.seat(third).is_ok());
        assert_eq!(games.seat(second).expect_err("forgotten").status, StatusCode::NOT_FOUND);
        assert_eq!(begin(later).expect_err("no place").status, StatusCode::SERVICE_UNAVAILABLE);
        // One that is over makes place as soon as it is closed.
        let (over, _) = games.seat(first).expect("a game");
        over.act(Side::White, &LiveAction::Resign {}, Instant::now()).expect("a result");
        assert_eq!(begin(later).expect_err("no place").status, StatusCode::SERVICE_UNAVAILABLE);
        drop(follower);
        assert!(begin(later).is_ok() && games.seat(first).is_err() && games.seat(third).is_ok());
    }

    #[test]
    fn a_game_that_is_over_and_left_gives_its_place_to_another() {
        let games = LiveGames::new(9);
        let client = Clients::new(1, 9).client(Ipv4Addr::LOCALHOST.into());
        let begin = || games.begin(game(), Some(&client), Instant::now());
        let first = begin().expect("a place").white;
        assert_eq!(begin().expect_err("no place").status, StatusCode::TOO_MANY_REQUESTS);
        games
            .seat(first)
            .expect("a game")
            .0
            .act(Side::White, &LiveAction::Resign {}, Instant::now())
            .expect("a result");
        begin().expect("a place");
        assert!(games.seat(first).is_err());
    }

    #[test]
    fn the_clock_stops_when_a_move_arrives_and_at_the_longest_game() {
        let moves = ["a1-a2", "e5-e4", "a2-a1", "e4-e5"].into_iter().cycle().take(MAX_GAME - 2);
        let request = GameRequest {
            board: "5x5".to_owned(),
            position: Some("4B/5/5/5/W4 w".to_owned()),
            rules: PlayRules { repetition: false, move_time: Some(60_000), ..PlayRules::default() },
            moves: moves.map(str::to_owned).collect(),
            ..GameRequest::default()
        };
        let game = Arc::new(LiveGame::new(request.replay().expect("a game"), None, Instant::now()));
        let _players = [Side::White, Side::Black].map(|side| Follower::new(game.clone(), Some(side)));
        let after = |seconds| Instant::now() + Duration::from_secs(seconds);
        let play = |text: &str, ply| LiveAction::Move { text: text.to_owned(), ply };
        game.act(Side::White, &play("a2-a1", MAX_GAME - 2), after(50)).expect("a move");
        let view = serde_json::to_value(game.view(None)).expect("JSON");
        let spent = view["game"]["times"][MAX_GAME - 2].as_u64().expect("a time");
        assert!((50_000..60_000).contains(&spent), "{spent} ms");
        assert_eq!(
            game.act(Side::White, &LiveAction::Time {}, after(50)).map_err(|problem| problem.status),
            Err(StatusCode::CONFLICT)
        );
        game.act(Side::Black, &play("e4-e5", MAX_GAME - 1), after(0)).expect("a move");
        // White cannot move, and loses no time.
        assert_eq!(
            game.act(Side::Black, &LiveAction::Time {}, after(600)).map_err(|problem| problem.status),
            Err(StatusCode::CONFLICT)
        );
    }

    #[test]
    fn keys_are_read_as_they_are_written() {
        let text = serde_json::to_value(Key(0xab)).expect("JSON");
        let text = text.as_str().expect("a text");
        assert_eq!(text.parse::<Key>(), Ok(Key(0xab)));
        for bad in ["", "ab", "+000000000000000000000000000000a", &text.to_uppercase(), &format!("{text}0")] {
            assert!(bad.parse::<Key>().is_err(), "{bad}");
        }
        assert_ne!(Key::random(), Key::random());
    }
}
