//! `enfold sessions list`.

use enfold_store::{Sessions, StoredSession};
use serde_json::{Value, json};

use crate::args::ListArgs;
use crate::failure::Failure;
use crate::report::{self, Stream, Table, number};
use crate::stored::{self, failed};
use crate::{moment, output};

/// Lists.
pub fn run(args: &ListArgs) -> Result<(), Failure> {
    let store = stored::open(&args.store)?;
    let sessions = store.sessions().map_err(failed)?;
    let path = store.path().display().to_string();
    if args.json {
        let sessions: Vec<Value> = sessions.iter().map(as_json).collect();
        return output::print(&format!("{:#}\n", json!({ "store": path, "sessions": sessions })));
    }
    if sessions.is_empty() {
        let path = report::clean(&path);
        return output::print(&format!(
            "{path} holds no session; `enfold sessions import FILE` takes one in.\n"
        ));
    }
    output::print(&table(&sessions))
}

fn table(sessions: &[StoredSession]) -> String {
    let now = moment::now();
    let mut table =
        Table::new(Stream::Stdout, &["!session", "#messages", "#size", "#epochs", "!last use", "about"]);
    for (stored, id) in sessions.iter().zip(short_ids(sessions)) {
        table.line([
            id,
            number(stored.messages as u64),
            report::size(stored.bytes),
            number(stored.compactions.into()),
            moment::ago(now, stored.updated),
            stored.session.name.clone(),
        ]);
    }
    table.render()
}

/// Ids as a table has room for: of a long one, the beginning that is enough to name it.
pub fn short_ids(sessions: &[StoredSession]) -> Vec<String> {
    const WHOLE: usize = 20;
    const LEAST: usize = 8;
    let mut sorted: Vec<&str> = sessions.iter().map(|stored| stored.session.id.as_str()).collect();
    sorted.sort_unstable();
    let shared =
        |one: &str, two: &str| one.chars().zip(two.chars()).take_while(|(one, two)| one == two).count();
    let short = |id: &str| {
        let at = sorted.partition_point(|other| *other < id);
        let neighbours = [at.checked_sub(1).map(|before| sorted[before]), sorted.get(at + 1).copied()];
        let enough =
            neighbours.iter().flatten().map(|other| shared(id, other) + 1).max().unwrap_or(0).max(LEAST);
        match id.chars().count() {
            length if length <= WHOLE || length <= enough => id.to_string(),
            _ => id.chars().take(enough).chain(['…']).collect(),
        }
    };
    sessions.iter().map(|stored| short(&stored.session.id)).collect()
}

/// A session for programs.
pub fn as_json(stored: &StoredSession) -> Value {
    let about = &stored.session;
    // A lease that is over is none.
    let lease = stored.lease.as_ref().filter(|(_, until)| *until > moment::now());
    json!({
        "id": about.id,
        "name": about.name,
        "wire": about.wire,
        "model": about.model,
        "policy": Some(&about.policy).filter(|policy| !policy.is_empty()),
        "created": moment::rfc3339(stored.created),
        "updated": moment::rfc3339(stored.updated),
        "messages": stored.messages,
        "bytes": stored.bytes,
        "revision": stored.revision,
        "compactions": stored.compactions,
        "compacted": stored.compacted.map(moment::rfc3339),
        "lease": lease.map(|(owner, until)| json!({ "owner": owner, "until": moment::rfc3339(*until) })),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn short(ids: &[&str]) -> Vec<String> {
        let stored = |id: &&str| {
            let mut stored = StoredSession::default();
            stored.session.id = id.to_string();
            stored
        };
        short_ids(&ids.iter().map(stored).collect::<Vec<_>>())
    }

    #[test]
    fn long_ids_are_shortened_to_what_names_them() {
        let ids =
            ["d703a1a9-1b7b-4fb1-b512-c9738b1fe617", "fix-parser", "ffae836b-9420-4060-ac13-7745215f90ff"];
        assert_eq!(short(&ids), ["d703a1a9…", "fix-parser", "ffae836b…"]);
        let alike = [
            "django__django-11532-first-try",
            "django__django-11532-first-trial",
            "django__django-11532-first",
        ];
        assert_eq!(
            short(&alike),
            [
                "django__django-11532-first-try",
                "django__django-11532-first-tri…",
                "django__django-11532-first"
            ]
        );
    }
}
