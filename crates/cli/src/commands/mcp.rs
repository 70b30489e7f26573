//! `enfold mcp`: what an agent can ask about its own session.

use std::sync::Arc;
use std::time::Duration;

use enfold_mcp::{Recall, Scope, over_pipes};
use enfold_store::Store;

use crate::args::{McpArgs, StoreArg};
use crate::commands::serve;
use crate::failure::Failure;
use crate::{output, report, stored};

/// Answers until the agent leaves.
pub fn run(args: McpArgs) -> Result<(), Failure> {
    if let Some(named) = &args.session {
        tell_if_missing(named, &args.store);
    }
    let scope = Scope { session: args.session, since: args.since.map(Duration::from_millis) };
    let open = move || match stored::open(&args.store) {
        Ok(store) => Ok(Arc::new(store) as Arc<dyn Store>),
        Err(failure) => Err(failure.message().unwrap_or_default()),
    };
    let runtime = serve::runtime()?;
    let served = runtime.block_on(over_pipes(Recall::new(Arc::new(open), scope)));
    // Standard input is read by a thread that cannot be stopped.
    runtime.shutdown_background();
    served.map_err(|error| Failure::BadInput(error.to_string()))
}

/// The agent may be about to begin the session, so that the server starts all the same.
fn tell_if_missing(named: &str, store: &StoreArg) {
    let found = stored::open(store).and_then(|store| stored::find(&store, named));
    if let Err(failure) = found {
        let why = failure.message().unwrap_or_default();
        output::note(&format!("note: {}; calls are answered once it is there\n", report::clean(&why)));
    }
}
