//! `enfold search`: words in the originals of stored sessions.

use enfold::history::{MessageId, Slot};
use enfold::json::Raw;
use enfold::wire;
use enfold_store::{Sessions, Sqlite, StoredSession, Upkeep};
use serde_json::{Value, json};

use crate::args::SearchArgs;
use crate::failure::Failure;
use crate::output;
use crate::progress::Progress;
use crate::report::{self, Stream, Table, number};
use crate::stored::{self, failed};

/// Searches.
pub fn run(args: SearchArgs) -> Result<(), Failure> {
    let store = stored::open(&args.store)?;
    let sessions = match &args.id {
        Some(id) => vec![stored::find(&store, id)?],
        None if args.all => store.sessions().map_err(failed)?,
        None => {
            let remedy = "type `enfold search ID QUERY`, or add --all";
            return Err(Failure::new("search", "no session is named", remedy));
        }
    };
    if !args.query.chars().any(char::is_alphanumeric) {
        return Err(Failure::new(
            format!("`{}`", args.query),
            "there is no word in it",
            "type letters or digits",
        ));
    }
    let mut hits = Vec::new();
    {
        let _progress = Progress::spinner("searching");
        for session in &sessions {
            hits.extend(search(&store, session, &args)?);
        }
    }
    if args.json {
        let found: Vec<Value> = hits.iter().map(Found::as_json).collect();
        return output::print(&format!("{:#}\n", json!({ "query": args.query, "hits": found })));
    }
    if hits.is_empty() {
        return output::print("No message holds all of these words.\n");
    }
    output::print(&table(&hits, args.all))
}

/// A message that holds the words.
struct Found {
    session: String,
    /// Counted from 1.
    message: usize,
    role: &'static str,
    snippet: String,
}

fn search(store: &Sqlite, session: &StoredSession, args: &SearchArgs) -> Result<Vec<Found>, Failure> {
    let id = &session.session.id;
    let hits = store.search(id, &args.query, args.limit).map_err(failed)?;
    let mut found = Vec::new();
    for hit in hits {
        let role = role(store, session, hit.number)?;
        found.push(Found { session: id.clone(), message: hit.number.number(), role, snippet: hit.snippet });
    }
    Ok(found)
}

/// Who speaks in a message; nobody we know, where it is none of its format.
fn role(store: &Sqlite, session: &StoredSession, number: MessageId) -> Result<&'static str, Failure> {
    let messages = store.messages(&session.session.id, number..number.next()).map_err(failed)?;
    let role = messages.first().and_then(|message| {
        let wire = wire::named(&session.session.wire)?;
        Raw::parse(&message.raw).ok()?;
        let parsed = match message.slot {
            Slot::List => wire.read_message(&message.raw),
            Slot::Head => wire.read_head(&message.raw),
        };
        Some(parsed.ok()?.role.name())
    });
    Ok(role.unwrap_or(""))
}

impl Found {
    fn as_json(&self) -> Value {
        json!({ "session": self.session, "message": self.message, "role": self.role, "snippet": self.snippet })
    }
}

/// The hits of each session under its id: ids are long, and what was found needs the room.
fn table(hits: &[Found], with_sessions: bool) -> String {
    let sessions: Vec<String> = hits
        .chunk_by(|a, b| a.session == b.session)
        .map(|hits| {
            let mut table = Table::new(Stream::Stdout, &["#message", "!role", "text"]);
            for hit in hits {
                table.row([number(hit.message as u64), hit.role.into(), hit.snippet.clone()]);
            }
            let title =
                if with_sessions { report::heading(Stream::Stdout, &hits[0].session) } else { String::new() };
            title + &table.render()
        })
        .collect();
    sessions.join("\n")
}
