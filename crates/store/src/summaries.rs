//! Events about summaries, as whoever makes them writes them and whoever shows them reads them.

use std::time::Duration;

use enfold::summary::Summary;
use serde::{Deserialize, Serialize};

use crate::Event;

const SHOWN: &str = "summary:shown";
const FAILED: &str = "summary:failed";

/// What the agent was told in place of older messages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ShownSummary {
    /// The epoch whose views have it.
    pub epoch: u32,
    /// 1 for the first of a session.
    pub round: u32,
    /// Whether a model wrote some of it.
    pub by_model: bool,
    /// The whole message.
    pub text: String,
    /// What the next round goes on from; `None` where the view was made in another format than the session is stored in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<Summary>,
}

/// A summary that a model was asked for in vain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailedSummary {
    /// The round it was for.
    pub round: u32,
    /// A word for the kind of failure.
    pub class: String,
    /// What went wrong, for people.
    pub why: String,
}

impl ShownSummary {
    /// What an event tells, if it is about a summary that was shown.
    pub fn from_event(event: &Event) -> Option<ShownSummary> {
        if event.kind == SHOWN { serde_json::from_str(&event.json).ok() } else { None }
    }

    /// It as an event.
    pub fn event(&self, at: Duration) -> Event {
        event(at, SHOWN, self)
    }
}

impl FailedSummary {
    /// What an event tells, if it is about a summary that did not come.
    pub fn from_event(event: &Event) -> Option<FailedSummary> {
        if event.kind == FAILED { serde_json::from_str(&event.json).ok() } else { None }
    }

    /// It as an event.
    pub fn event(&self, at: Duration) -> Event {
        event(at, FAILED, self)
    }
}

fn event(at: Duration, kind: &str, what: &impl Serialize) -> Event {
    let json = serde_json::to_string(what).expect("numbers and strings always become JSON");
    Event { at, kind: kind.into(), json }
}
