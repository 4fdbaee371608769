//! Building tables: what can be built for a board, and the build in the background.

use axum::extract::{Request, State};
use axum::http::{StatusCode, Uri};
use serde::{Deserialize, Serialize};

use crate::board::BoardSize;
use crate::knowledge::Knowledge;
use crate::report::answer;
use crate::retro::{BuildError, Cost, Plan, Proposal, Reach, check_size};
use crate::rules::{Position, RuleSet};

use super::builder::{BuildReport, BuildTask, Refusal};
use super::request::{Fields, Parameters, TableRules};
use super::response::{json_response, json_text};
use super::table_api::{Reply, SizeInPath, read_size};
use super::{Problem, Service, Shared};

/// What can be built for a board.
#[derive(Serialize)]
struct BoardOffers {
    board: String,
    rules: RuleSet,
    /// Whether this server builds tables.
    allowed: bool,
    /// Every slice up to this many stones has a table.
    stones: usize,
    /// Tables to more stones, and what they take.
    offers: Vec<Offer>,
    /// The most stones that take less than half a minute.
    recommended: Option<usize>,
    /// The start position.
    start: String,
    /// The tables for a proof of the start position, unless its value is known or they are out of reach. The time of the search
    /// is not included.
    proof: Option<Offer>,
}

/// Tables of all slices up to a number of stones, and what is still to be built of them.
#[derive(Serialize)]
struct Offer {
    stones: usize,
    #[serde(flatten)]
    cost: Cost,
}

impl From<&Proposal> for Offer {
    fn from(Proposal { plan, cost }: &Proposal) -> Self {
        Self { stones: plan.goal.target.stones(), cost: *cost }
    }
}

/// `GET /api/{size}/build`: the tables of a board that can be built here, and what they take.
pub async fn offers(State(service): State<Shared>, size: SizeInPath, uri: Uri) -> Reply {
    let size = read_size(size)?;
    let rules = Parameters::read(&uri)?.without_position()?.rules;
    let shared = service.clone();
    let text = service.probes.run(service.time_limit, move |_| {
        check_size(size, 2).map_err(|error| Problem::missing(error.to_string()))?;
        let (database, reach) = (shared.library.database(), shared.builder.reach());
        let proposals = reach.proposals(size, rules, database);
        let known = shared.library.knowledge(size, rules)?;
        json_text(&BoardOffers {
            start: Position::<u64>::start(size).to_text(size),
            proof: proof_offer(&shared, size, rules, known.as_deref())?,
            board: size.to_string(),
            rules,
            allowed: shared.allow_builds,
            stones: known.map_or(0, |known| known.tables().folder().complete_up_to(size.points())),
            offers: proposals.iter().map(Offer::from).collect(),
            recommended: Reach::recommended(&proposals).map(|quick| quick.plan.goal.target.stones()),
        })
    });
    Ok(json_response(StatusCode::OK, text.await?))
}

/// What the proof of the start of a board takes, unless its value is known or that is out of reach.
fn proof_offer(
    service: &Service,
    size: BoardSize,
    rules: RuleSet,
    known: Option<&Knowledge>,
) -> Result<Option<Offer>, Problem> {
    let Some(knowledge) = known else { return Ok(None) };
    let start = Position::start(size);
    let probe = |mover, opponent| knowledge.look_up(mover, opponent);
    if answer(knowledge.rules(), &start, probe)?.known.bounds.exact().is_some() {
        return Ok(None);
    }
    let reach = service.builder.reach();
    let plan = service.builder.tables_for_proof(size, rules).ok().filter(|plan| plan.check().is_ok());
    let offer = |plan: Plan| Offer { stones: plan.goal.target.stones(), cost: plan.cost(&reach.rates(size, rules)) };
    Ok(plan.map(offer))
}

/// `GET /api/build`: the state of the latest build.
pub async fn state(State(service): State<Shared>) -> Reply {
    report(&service)
}

/// What to build.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BuildRequest {
    board: String,
    #[serde(default)]
    rules: TableRules,
    /// Tables to this many stones, or a proof of the start position.
    #[serde(default)]
    stones: Option<usize>,
    #[serde(default)]
    proof: bool,
}

/// `POST /api/build`: starts a build.
pub async fn start(State(service): State<Shared>, request: Request) -> Reply {
    allowed(&service)?;
    let BuildRequest { board, rules, stones, proof } = Fields::read(request).await?.parse()?;
    let size: BoardSize = board.parse()?;
    if stones.is_some() == proof {
        return Err(Problem::malformed(
            "in the body, give either stones, for tables, or proof: true, for the start position",
        ));
    }
    let shared = service.clone();
    // Planning a build and measuring the machine take a moment.
    let started = service.probes.run(service.time_limit, move |_| {
        shared.builder.start(size, rules.into(), stones, shared.log).map_err(Problem::from)
    });
    started.await?;
    report(&service)
}

/// `DELETE /api/build`: stops the build. What is finished stays, and the next build continues from there.
pub async fn stop(State(service): State<Shared>) -> Reply {
    allowed(&service)?;
    service.builder.stop();
    report(&service)
}

fn allowed(service: &Service) -> Result<(), Problem> {
    if service.allow_builds {
        return Ok(());
    }
    Err(Problem::new(StatusCode::FORBIDDEN, "this server builds no tables; start it with --build to allow it"))
}

fn report(service: &Service) -> Reply {
    let report: BuildReport = service.builder.report();
    Ok(json_response(StatusCode::OK, json_text(&report)?))
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Running(BuildTask { board, stones, proof, .. }) => Self::new(
                StatusCode::CONFLICT,
                if proof {
                    format!("a proof of the start of {board} is running; wait until it ends, or stop it")
                } else {
                    format!("a build of {board} to {stones} stones is running; wait until it ends, or stop it")
                },
            ),
            Refusal::Impossible(message) => Self::new(StatusCode::UNPROCESSABLE_ENTITY, message),
            Refusal::Build(BuildError::Table(error)) => error.into(),
            Refusal::Build(error) => Self::malformed(error.to_string()),
        }
    }
}
