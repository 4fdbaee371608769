//! Certificates with flaws: what is not proved is refused, and the first flaw is named.

use std::sync::Arc;

use fanorona::board::{BoardSize, Symmetry};
use fanorona::proof::{Certificate, Claim, Flaw, Lack, Member, NoTables, Refusal, canonical, check, replies};
use fanorona::rules::{Position, RuleSet, Value as Claimed};

use crate::certificate::{DRAWN, claim_of, everything, verdict};
use crate::oracle;
use crate::prover::{self, Definition, Solved, position};

/// Refusals take one line that says where, why, and what to do.
fn check_text(refusal: &impl ToString) {
    let text = refusal.to_string();
    assert!(!text.contains('\n') && text.ends_with("write a new certificate"), "{text}");
    assert!(text.contains(" is not proved: "), "{text}");
}

/// The certificates that are tampered with, with the solved positions behind them.
fn specimens() -> Vec<(Arc<Solved>, Certificate)> {
    let mut specimens = Vec::new();
    for rules in [RuleSet::default(), RuleSet::from_options([false, false, false, true])] {
        let solved = everything(rules);
        for root in [oracle::start(3, 3).as_str(), DRAWN] {
            let mut certificate = solved.prove_root(root, 0, Vec::new());
            certificate.sort();
            specimens.push((solved.clone(), certificate));
        }
    }
    specimens
}

/// The checker must agree with the definition; returns whether it refuses.
fn refuses(definition: &Definition<'_>, certificate: &Certificate) -> bool {
    let found = verdict(certificate);
    assert_eq!(found.as_ref().map(|(place, _)| place), definition.first_flaw(certificate).as_ref(), "{found:?}");
    assert!(found.is_some() || definition.is_true(certificate), "something false was accepted");
    if found.is_some() {
        check_text(&check(certificate, &NoTables, &|_| ()).expect_err("the same refusal"));
    }
    found.is_some()
}

#[test]
fn every_other_reply() {
    let (mut refused, mut lucky) = (0, 0);
    for (solved, certificate) in specimens() {
        let definition = Definition::new(&solved);
        let board = fanorona::board::Board::new(certificate.size, certificate.rules.diagonals);
        let mut count = |changed: &Certificate| {
            *(if refuses(&definition, changed) { &mut refused } else { &mut lucky }) += 1;
        };
        for index in 0..certificate.safe.len() {
            let entry = certificate.safe[index];
            let replies = replies(&board, certificate.rules, entry.mover, entry.opponent).len();
            for reply in (0..replies + 3).map(|reply| u32::try_from(reply).unwrap()).chain([u32::MAX]) {
                let mut changed = certificate.clone();
                changed.safe[index].reply = reply;
                if reply != entry.reply {
                    count(&changed);
                }
                if reply as usize >= replies.max(1) {
                    let (_, flaw) = verdict(&changed).expect("a refusal");
                    assert_eq!(flaw, Flaw::NoSuchReply { reply, replies });
                }
            }
        }
        for index in 0..certificate.won.len() {
            let won = certificate.won[index];
            let replies = replies(&board, certificate.rules, won.mover, won.opponent).len();
            for reply in 0..u32::try_from(replies).unwrap() + 2 {
                let mut changed = certificate.clone();
                changed.won[index].reply = reply;
                if reply != won.reply {
                    count(&changed);
                }
            }
        }
    }
    assert!(refused > 100 && lucky > 0, "{refused} {lucky}");
}

#[test]
fn every_missing_position() {
    for (solved, certificate) in specimens() {
        let definition = Definition::new(&solved);
        for index in 0..certificate.safe.len() {
            let mut changed = certificate.clone();
            changed.safe.remove(index);
            assert!(refuses(&definition, &changed));
        }
        for index in 0..certificate.won.len() {
            let mut changed = certificate.clone();
            changed.won.remove(index);
            assert!(refuses(&definition, &changed));
        }
    }
}

#[test]
fn ranks_that_do_not_fall() {
    let mut seen = 0;
    for (solved, certificate) in specimens() {
        let definition = Definition::new(&solved);
        let mut all_same = certificate.clone();
        all_same.won.iter_mut().for_each(|won| won.rank = 7);
        let quick = certificate.won.iter().all(|won| won.rank == 1);
        assert_eq!(refuses(&definition, &all_same), !quick);
        for index in 0..certificate.won.len() {
            for rank in [0, 1, certificate.won[index].rank + 1, u32::MAX - 1, u32::MAX] {
                let mut changed = certificate.clone();
                changed.won[index].rank = rank;
                refuses(&definition, &changed);
                if let Some((_, Flaw::Turn { lack: Lack::Rank { found, below }, .. })) = verdict(&changed) {
                    assert!(found >= below && (found == rank || below == rank));
                    seen += 1;
                }
            }
        }
    }
    assert!(seen > 10, "{seen}");
}

/// Two drawn positions that claim to be won by depending on each other; only ranks show that this is no proof.
#[test]
fn wins_in_a_circle() {
    let solved = Solved::new(DRAWN, RuleSet::default());
    let mut certificate = solved.prove(0, Vec::new());
    let safe = std::mem::take(&mut certificate.safe);
    certificate.won.extend(safe.into_iter().map(|member| Member { rank: 5, ..member }));
    certificate.claims = vec![Claim { position: position(DRAWN), value: Claimed::WhiteWins }];
    certificate.sort();
    let (_, flaw) = verdict(&certificate).expect("a refusal");
    assert!(matches!(flaw, Flaw::Turn { lack: Lack::Rank { .. }, .. }), "{flaw}");
    let definition = Definition::new(&solved);
    for seed in 0..200 {
        let mut random = fastrand::Rng::with_seed(seed);
        certificate.won.iter_mut().for_each(|won| won.rank = random.u32(..));
        assert!(refuses(&definition, &certificate));
    }
}

#[test]
fn every_claim_is_accepted_if_it_is_true() {
    for (solved, certificate) in specimens() {
        let definition = Definition::new(&solved);
        for index in 0..certificate.claims.len() {
            for value in [
                Claimed::WhiteWins,
                Claimed::BlackWins,
                Claimed::Draw,
                Claimed::WhiteDoesNotLose,
                Claimed::BlackDoesNotLose,
            ] {
                let mut changed = certificate.clone();
                changed.claims[index].value = value;
                assert_eq!(refuses(&definition, &changed), !definition.is_true(&changed));
            }
            // The other side to move, or the colours exchanged: another position, of which less is known.
            let mut changed = certificate.clone();
            let Position { white, black, to_move } = changed.claims[index].position;
            changed.claims[index].position = Position { white: black, black: white, to_move };
            if solved.values.contains_key(&changed.claims[index].position.to_text(solved.size)) {
                refuses(&definition, &changed);
            }
        }
    }
}

/// Sets of all positions of 3x3, with random changes: here the checker and the definition meet often on both sides.
#[test]
fn random_changes_to_sets_of_all_positions() {
    let (mut accepted, mut refused) = (0, 0);
    for rules in RuleSet::all() {
        let solved = everything(rules);
        let definition = Definition::new(&solved);
        let mut whole = solved.prove_everything();
        whole.sort();
        let mut random = fastrand::Rng::with_seed(3);
        for round in 0..30 {
            let mut changed = whole.clone();
            let many = if round % 3 == 0 { 1 } else { random.usize(1..30) };
            for _ in 0..many {
                change(&mut changed, &mut random);
            }
            let text = random.choice(solved.values.keys()).expect("a position");
            let claim = claim_of(&solved, text);
            changed.claims = vec![claim];
            *(if refuses(&definition, &changed) { &mut refused } else { &mut accepted }) += 1;
        }
    }
    assert!(accepted > 20 && refused > 100, "{accepted} {refused}");
}

/// A random change that keeps a certificate well formed.
fn change(certificate: &mut Certificate, random: &mut fastrand::Rng) {
    if certificate.safe.is_empty() || certificate.won.is_empty() {
        return;
    }
    let (safe, won) = (random.usize(..certificate.safe.len()), random.usize(..certificate.won.len()));
    match random.u32(..7) {
        0 => {
            certificate.safe.remove(safe);
        }
        1 => {
            certificate.won.remove(won);
        }
        2 => certificate.safe[safe].reply = random.u32(..4),
        3 => certificate.won[won].reply = random.u32(..4),
        4 => certificate.won[won].rank = random.u32(..12),
        5 => certificate.safe.push(Member { rank: 0, ..certificate.won.remove(won) }),
        _ => certificate.won.push(Member { rank: random.u32(..12), ..certificate.safe.remove(safe) }),
    }
    certificate.sort();
}

/// Sets made of nothing but chance, lost positions included.
#[test]
fn random_sets() {
    let (mut accepted, mut refused) = (0, 0);
    for rules in RuleSet::all() {
        let solved = everything(rules);
        let definition = Definition::new(&solved);
        let symmetry = Symmetry::new(solved.size);
        let mut random = fastrand::Rng::with_seed(4);
        for _ in 0..1000 {
            let mut certificate = solved.claim_alone();
            for _ in 0..random.usize(1..4) {
                let text = random.choice(solved.values.keys()).expect("a position");
                let at = position(text);
                let (mover, opponent) = canonical(&symmetry, at.mover(), at.opponent());
                let known = |m, o| (m, o) == (mover, opponent);
                let there = certificate.safe.iter().any(|entry| known(entry.mover, entry.opponent))
                    || certificate.won.iter().any(|won| known(won.mover, won.opponent));
                if mover == 0 || opponent == 0 || there {
                    continue;
                }
                let (reply, rank) = (random.u32(..6), random.u32(..3));
                if random.bool() {
                    certificate.safe.push(Member { mover, opponent, reply, rank: 0 });
                } else {
                    certificate.won.push(Member { mover, opponent, reply, rank });
                }
                certificate.claims = vec![claim_of(&solved, text)];
            }
            certificate.sort();
            *(if refuses(&definition, &certificate) { &mut refused } else { &mut accepted }) += 1;
        }
    }
    assert!(accepted > 20 && refused > 1000, "{accepted} {refused}");
}

/// Sets of many pieces, each piece with flaws: whichever thread is quick, the first flaw is named.
#[test]
fn the_first_of_many_flaws_is_named_with_any_number_of_threads() {
    let size: BoardSize = "9x5".parse().expect("a board");
    let symmetry = Symmetry::new(size);
    let mut random = fastrand::Rng::with_seed(5);
    let claims = vec![Claim { position: Position::start(size), value: Claimed::Draw }];
    let (rules, tables, safe, won) = (RuleSet::default(), Vec::new(), Vec::new(), Vec::new());
    let mut certificate = Certificate { size, rules, tables, claims, safe, won };
    for _ in 0..20_000 {
        let mover = random.u64(..1 << 45) & random.u64(..);
        let opponent = random.u64(..1 << 45) & random.u64(..) & !mover;
        let (mover, opponent) = canonical(&symmetry, mover, opponent);
        if mover != 0 && opponent != 0 {
            certificate.safe.push(Member { mover, opponent, reply: random.u32(..2), rank: 0 });
        }
    }
    certificate.sort();
    certificate.safe.dedup_by_key(|entry| (entry.mover, entry.opponent));
    let one_thread = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    let first = one_thread.install(|| check(&certificate, &NoTables, &|_| ())).expect_err("a refusal");
    assert!(matches!(first, Refusal::Position { .. }), "{first}");
    for threads in [2, 5, 16] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        for _ in 0..50 {
            let again = pool.install(|| check(&certificate, &NoTables, &|_| ())).expect_err("a refusal");
            assert_eq!(again, first);
        }
    }
}

#[test]
fn a_refusal_shows_the_way() {
    let solved = Solved::start("3x3", RuleSet::default());
    let mut certificate = solved.prove(0, Vec::new());
    certificate.won.clear();
    let refusal = check(&certificate, &NoTables, &|_| ()).expect_err("a refusal").to_string();
    assert_eq!(
        refusal,
        "claim 1, that \"BBB/B1W/WWW w\" is a win for White, is not proved: there nothing is known: neither set nor \
         listed table has the position; write a new certificate"
    );
    let mut certificate = Solved::new(DRAWN, RuleSet::default()).prove(0, Vec::new());
    let lost = certificate.safe.len() - 1;
    certificate.safe.remove(lost);
    certificate.won.clear();
    let refusal = check(&certificate, &NoTables, &|_| ()).expect_err("a refusal");
    let Refusal::Position { set: "safe", position, flaw: Flaw::Turn { before, after, lack: Lack::Unknown } } = &refusal
    else {
        panic!("{refusal}");
    };
    assert!(position.ends_with(" w") && before.ends_with(" b") && after.ends_with(" w"), "{refusal}");
    assert!([position, before, after].iter().all(|text| refusal.to_string().contains(*text)), "{refusal}");
    // The texts are positions that follow each other.
    assert!(solved_successors(position).contains(before) && solved_successors(before).contains(after), "{refusal}");
}

fn solved_successors(text: &str) -> Vec<String> {
    oracle::successors(text, prover::oracle_rules(RuleSet::default())).into_iter().collect()
}
