//! `enfold sessions view`: what an agent's model was sent last.

use enfold::Session;
use enfold::folding::policy::Policy;
use enfold::history::{MessageId, Slot};
use enfold::session::Checkpoint;
use enfold::wire;
use enfold_store::{Records, Sessions, Sqlite, StoredSession};

use crate::args::ViewArgs;
use crate::failure::Failure;
use crate::stored::{self, failed};
use crate::{output, report};

/// Prints it, as the checkpoint of the session has it.
pub fn run(args: &ViewArgs) -> Result<(), Failure> {
    let store = stored::open(&args.store)?;
    let stored = stored::find(&store, &args.id)?;
    let session = reopened(&store, &stored)?;
    if let Some(head) = session.head() {
        output::note(&format!("{}\n", report::clean(head)));
    }
    // A line feed in JSON only ever stands between values.
    let lines = session.view().iter().map(|message| message.replace(['\n', '\r'], " ") + "\n");
    output::write(args.output.as_deref(), &lines.collect::<String>())
}

/// The session with the view that it sent last.
fn reopened(store: &Sqlite, stored: &StoredSession) -> Result<Session, Failure> {
    let about = &stored.session;
    let thing = format!("session:{}", about.id);
    let wire = wire::named(&about.wire).ok_or_else(|| {
        let cause = format!("it is in the format `{}`, which this Enfold does not know", about.wire);
        Failure::new(&thing, cause, "update Enfold")
    })?;
    let checkpoint = store.checkpoint(&about.id).map_err(failed)?;
    let Some(mut checkpoint) = checkpoint.and_then(|json| serde_json::from_str::<Checkpoint>(&json).ok())
    else {
        return Err(unsent(&thing, stored));
    };
    // Nothing is folded here: what was sent is only read again.
    let policy = Policy::parse("name = \"none\"\nabout = \"\"").expect("it names no pass");
    let mut session = Session::new(wire, policy, usize::MAX);
    for message in store.messages(&about.id, MessageId::ALL).map_err(failed)? {
        let pushed = match message.slot {
            Slot::List => session.push(message.raw),
            Slot::Head => session.push_head(message.raw),
        };
        pushed.map_err(|error| {
            Failure::new(&thing, error, "`enfold sessions export` still writes what is stored")
        })?;
    }
    // Whoever got an answer has sent what was there.
    checkpoint.messages = checkpoint.messages.max(session.newest_answer());
    session.reopen(&checkpoint).map_err(|mismatch| {
        Failure::new(&thing, mismatch, "the past was rewritten since: its next request begins anew")
    })?;
    Ok(session)
}

/// There is no view that an agent was sent: why, and where to see what there is.
fn unsent(thing: &str, stored: &StoredSession) -> Failure {
    match stored.compactions {
        0 => {
            let remedy = format!("`enfold convert {thing} --to {}` prints them", stored.session.wire);
            Failure::new(thing, "it was never folded: what was sent are its messages", remedy)
        }
        _ => {
            let cause = "it was folded by `enfold fold` only, and no agent has sent such a view";
            let remedy = format!(
                "`enfold fold {thing} --budget 16k` prints one, `enfold log {}` what was folded",
                stored.session.id
            );
            Failure::new(thing, cause, remedy)
        }
    }
}
