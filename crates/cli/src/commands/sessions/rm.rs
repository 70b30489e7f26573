//! `enfold sessions rm`.

use enfold_store::{Sessions, StoredSession};

use crate::args::RmArgs;
use crate::failure::Failure;
use crate::report::{self, times};
use crate::stored::{self, failed};
use crate::{moment, output};

/// Removes, once it is clear that all of them can be.
pub fn run(args: &RmArgs) -> Result<(), Failure> {
    let store = stored::open(&args.store)?;
    let mut doomed: Vec<StoredSession> = Vec::new();
    for id in &args.ids {
        let session = stored::find(&store, id)?;
        check_free(&session)?;
        if doomed.iter().all(|other| other.session.id != session.session.id) {
            doomed.push(session);
        }
    }
    for session in doomed {
        let id = &session.session.id;
        store.remove(id).map_err(failed)?;
        let messages = times(session.messages as u64, "message");
        output::print(&format!("removed {} ({messages})\n", report::clean(id)))?;
    }
    Ok(())
}

fn check_free(session: &StoredSession) -> Result<(), Failure> {
    let now = moment::now();
    match &session.lease {
        Some((owner, until)) if *until > now => {
            let seconds = (*until - now).as_secs() + 1;
            let remedy = format!("try again in {seconds} s at the latest; nothing was removed");
            Err(Failure::new(
                format!("session:{}", session.session.id),
                format!("`{owner}` is compacting it"),
                remedy,
            ))
        }
        _ => Ok(()),
    }
}
