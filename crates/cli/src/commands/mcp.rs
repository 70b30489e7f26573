//! `enfold mcp`: what an agent can ask about its own session.

use std::sync::Arc;
use std::time::Duration;

use enfold_mcp::{Recall, Scope, over_pipes};
use enfold_store::Store;

use crate::args::McpArgs;
use crate::commands::serve;
use crate::failure::Failure;
use crate::stored;

/// Answers until the agent leaves.
pub fn run(args: McpArgs) -> Result<(), Failure> {
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
