//! How the requests of a session could have been managed.

use std::sync::Arc;

use enfold::count::budget::Share;
use enfold::folding::policy::{Policy, PolicyError};

/// A way to manage requests.
#[derive(Clone)]
pub enum Way {
    /// Everything is sent always, whether it fits or not.
    Everything,
    /// A policy in a running session.
    Policy(Arc<Policy>),
    /// What most agents do by themselves: at 95 % of the window a model is asked to sum everything up. The summary is stood in
    /// for by what code can extract; that a model is asked for it is charged.
    Compaction(Arc<Policy>),
}

/// From where on agents compact, in percent of the window.
const COMPACTS_AT: u32 = 95;

impl Way {
    /// A policy.
    pub fn policy(policy: impl Into<Arc<Policy>>) -> Way {
        Way::Policy(policy.into())
    }

    /// What agents do by themselves.
    pub fn compaction() -> Result<Way, PolicyError> {
        let mut policy = Policy::named("summarize")?;
        policy.epoch.above = Share::percent(COMPACTS_AT);
        // An agent that compacts at a share of its window does not ask what its provider's cache still holds.
        policy.epoch.cold_above = policy.epoch.above;
        Ok(Way::Compaction(Arc::new(policy)))
    }

    /// The policy that it follows.
    pub fn followed(&self) -> Option<&Policy> {
        match self {
            Way::Everything => None,
            Way::Policy(policy) | Way::Compaction(policy) => Some(policy),
        }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        match self {
            Way::Everything => "no management",
            Way::Policy(policy) => &policy.name,
            Way::Compaction(_) => "compaction at 95 %",
        }
    }
}
