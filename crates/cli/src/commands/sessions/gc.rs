//! `enfold sessions gc`: room given back.

use std::collections::HashMap;
use std::io::IsTerminal;

use enfold_store::{Limits, Report, Sessions, Sqlite, StoredSession, Upkeep};
use serde_json::{Value, json};

use super::list;
use crate::args::GcArgs;
use crate::failure::Failure;
use crate::progress::Progress;
use crate::report::{self, Stream, Table, number, times};
use crate::stored::{self, failed};
use crate::{moment, output};

/// Collects, or says what it would.
pub fn run(args: &GcArgs) -> Result<(), Failure> {
    let store = stored::open(&args.store)?;
    let sessions = store.sessions().map_err(failed)?;
    let mut known: HashMap<String, StoredSession> =
        sessions.into_iter().map(|session| (session.session.id.clone(), session)).collect();
    let limits =
        Limits { idle: args.idle, bytes: args.max_size.map(|size| size.as_u64()), dry_run: args.dry_run };
    if !args.dry_run && !args.yes {
        ask_before_all(&store, &limits, known.len())?;
    }
    let report = {
        let _progress = Progress::spinner("collecting");
        store.collect(moment::now(), &limits).map_err(failed)?
    };
    let gone: Vec<StoredSession> = report.sessions.iter().filter_map(|id| known.remove(id)).collect();
    if args.json {
        return output::print(&format!("{:#}\n", as_json(&report, &gone, args.dry_run)));
    }
    let table = if gone.is_empty() { String::new() } else { format!("{}\n", table(&gone)) };
    output::print(&format!("{table}{}\n", said(&report, args)))
}

/// Limits that no session is within are more often a slip than a wish.
fn ask_before_all(store: &Sqlite, limits: &Limits, all: usize) -> Result<(), Failure> {
    let tried = store.collect(moment::now(), &Limits { dry_run: true, ..limits.clone() }).map_err(failed)?;
    if all == 0 || tried.sessions.len() < all {
        return Ok(());
    }
    let sessions = times(all as u64, "session");
    let refused = |cause: String| Failure::new("gc", cause, "add --yes, or look first with --dry-run");
    if !std::io::stdin().is_terminal() {
        return Err(refused(format!("this would remove every session there is ({sessions})")));
    }
    output::note(&format!("This removes every session there is ({sessions}). Type yes to go on: "));
    let mut typed = String::new();
    let _ = std::io::stdin().read_line(&mut typed);
    match typed.trim() {
        "yes" => Ok(()),
        _ => Err(refused("nothing was removed".into())),
    }
}

fn table(gone: &[StoredSession]) -> String {
    let now = moment::now();
    let mut table = Table::new(Stream::Stdout, &["!session", "#messages", "#size", "!last use", "about"]);
    for (stored, id) in gone.iter().zip(list::short_ids(gone)) {
        table.line([
            id,
            number(stored.messages as u64),
            report::size(stored.bytes),
            moment::ago(now, stored.updated),
            stored.session.name.clone(),
        ]);
    }
    table.render()
}

fn said(report: &Report, args: &GcArgs) -> String {
    let takes = if args.dry_run { "would take" } else { "takes" };
    let (before, after) = (report::size(report.before), report::size(report.after));
    let mut said = match (report.sessions.len() as u64, report.blobs) {
        (0, 0) => format!("Nothing is too much; the store takes {before}."),
        (sessions, blobs) => {
            let removed = if args.dry_run { "would be removed" } else { "removed" };
            let (sessions, blobs) = (times(sessions, "session"), times(blobs, "original"));
            format!("{sessions} and {blobs} {removed}; the store {takes} {after} instead of {before}.")
        }
    };
    if args.max_size.is_some_and(|size| size.as_u64() < report.after) {
        said += " That is more than --max-size: what is left is being compacted, or the room that an empty store takes.";
    }
    said
}

fn as_json(report: &Report, gone: &[StoredSession], dry_run: bool) -> Value {
    json!({
        "dry_run": dry_run,
        "sessions": gone.iter().map(list::as_json).collect::<Vec<_>>(),
        "originals": report.blobs,
        "before": report.before,
        "after": report.after,
    })
}
