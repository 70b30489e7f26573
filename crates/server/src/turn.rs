//! A request of a conversation, from when it is sent until what the provider reported about it is stored.

use std::sync::Arc;

use enfold::Envelope;
use enfold::count::Usage;
use enfold::count::models::Model;
use enfold_store::{Event, since_1970};
use serde_json::json;

use crate::config::Mode;
use crate::money::{Answered, USAGE};
use crate::server::App;
use crate::thread::Thread;
use crate::watch::Watched;

/// Tokens that providers add to a request by themselves, at most.
const BESIDE: u64 = 4_000;

/// A request of a conversation that goes on.
pub(crate) struct Turn {
    pub(crate) thread: Arc<Thread>,
    pub(crate) envelope: Arc<Envelope>,
    pub(crate) model: Model,
    /// Tokens of everything that happened, and of what is sent of it.
    pub(crate) before: usize,
    pub(crate) after: usize,
    /// Bytes of the body that is sent.
    pub(crate) bytes: usize,
    /// Whether the view is so large that the provider may find it too long.
    pub(crate) is_large: bool,
}

impl Turn {
    pub(crate) fn saved(&self) -> usize {
        self.before.saturating_sub(self.after)
    }

    /// Whether a number of tokens can be that of this request. Texts have two bytes a token and more; a number that is beyond
    /// that, by a mistake or by what a provider adds of its own, says nothing about how it counts.
    fn can_have(&self, tokens: u64) -> bool {
        tokens <= self.bytes as u64 / 2 + BESIDE
    }
}

/// Takes in what the provider reported when the answer is over.
pub(crate) fn settle(app: &Arc<App>, turn: Turn, watched: Watched) {
    if watched.is_done && app.config.mode == Mode::Fold {
        at_end(app, turn.thread.clone());
    }
    let Some(usage) = watched.usage else {
        return app.hub.log("answer", &json!({"session": turn.thread.id, "ended": watched.is_ended}));
    };
    app.tally.add(|totals| totals.charge(&usage, turn.saved(), turn.model.prices.as_ref()));
    let answered = Answered {
        input: usage.input,
        cache_read: usage.cache_read,
        cache_write: usage.cache_write,
        output: usage.output,
        tokens_before: turn.before as u64,
        tokens_after: turn.after as u64,
        sent: app.config.mode == Mode::Fold,
        ended: watched.is_ended,
        ..Answered::default()
    };
    app.hub.tell(&turn.thread.id, USAGE, answered.data());
    let app = app.clone();
    // The runtime may be ending; what was reported is then not stored, and nothing else is lost.
    if let Ok(runtime) = tokio::runtime::Handle::try_current() {
        runtime.spawn_blocking(move || store_usage(&app, &turn, usage, &answered));
    }
}

/// The user has the word: the policy's passes for the end of the work are made, if it has some. What they cost in cache is what its
/// author chose; no other policy gives up a cache before it has to.
fn at_end(app: &Arc<App>, thread: Arc<Thread>) {
    if !app.config.policy.has_end() {
        return;
    }
    let app = app.clone();
    if let Ok(runtime) = tokio::runtime::Handle::try_current() {
        runtime.spawn_blocking(move || {
            // The next request sees to what could not be done now.
            thread.hold(app.config.patience).map(|mut state| state.coordinator.settle().ok());
        });
    }
}

fn store_usage(app: &App, turn: &Turn, mut usage: Usage, answered: &Answered) {
    let Some(mut state) = turn.thread.hold(app.config.patience) else { return };
    usage.messages = state.session().history().messages().len();
    match app.config.mode {
        Mode::Fold if turn.can_have(usage.input) => state.coordinator.report(usage),
        // In observe mode what was sent is not the view, so it says nothing about how the view would be counted.
        Mode::Fold | Mode::Observe => state.coordinator.charge(usage),
    }
    let event = Event { at: since_1970(), kind: USAGE.into(), json: answered.data().to_string() };
    if let Err(error) = state.coordinator.store_usage(vec![event]) {
        let data = json!({"what": "usage is not stored", "why": error.to_string()});
        app.hub.tell(&turn.thread.id, "error", data);
    }
}
