//! A running session: the host gives what happened, the session says what to send.

use std::sync::Arc;
use std::time::Duration;

use bytestring::ByteString;
use enfold::count::media::ImageRule;
use enfold::folding::policy::{Policy, Room};
use enfold::session::{Checkpoint, PushError, Synced};
use enfold::summary::Finish;
use enfold::validate::Around;
use enfold::view::fold::Handle;
use enfold::wire::{Likeness, OpenAiChat, Wire};
use enfold::{Cache, Session as Core};
use serde_json::json;

use crate::fold::handles;
use crate::kept_account::KeptAccount;
use crate::message::raws;
use crate::options::{Beside, bad, shared_policy};
use crate::{Code, Error, Message, Options, View};

/// A running session in memory. Not stored: the host has its history, and [`crate::StoredSession`] keeps one.
pub struct Session {
    core: Core,
    wire: &'static dyn Wire,
    /// Whether the format may still turn out to be another.
    is_guessed: bool,
    options: Options,
    policy: Arc<Policy>,
    room: Room,
    beside: Beside,
    account: KeptAccount,
}

impl Session {
    /// A session without messages.
    pub fn new(options: Options) -> Result<Session, Error> {
        options.for_session()?;
        let (named, policy) = (options.wire()?, shared_policy(&options)?);
        let room = options.room(&policy)?;
        let wire = named.unwrap_or(&OpenAiChat);
        // Without a format, what stands beside the messages is checked when they have shown theirs.
        let beside = match named {
            Some(wire) => options.beside(wire)?,
            None => Beside::default(),
        };
        let core = core(wire, &options, &policy, room, "")?;
        let (is_guessed, account) = (named.is_none(), KeptAccount::default());
        Ok(Session { core, wire, is_guessed, options, policy, room, beside, account })
    }

    /// The wire format: the one that was named, else what the messages look like so far.
    pub fn format(&self) -> &'static str {
        self.wire.name()
    }

    /// How many messages of the host's list the session has.
    pub fn messages(&self) -> usize {
        self.core.history().listed().count()
    }

    /// The epoch of the last view.
    pub fn epoch(&self) -> u32 {
        self.core.epoch()
    }

    /// How long the provider keeps a request in its cache: who has a clock can tell when [`Session::prepare`] finds it cold.
    pub fn cache_lifetime(&self) -> Result<Duration, Error> {
        self.options.cache_lifetime()
    }

    /// Whether the next view will have to be folded anew, as far as can be told without making it.
    pub fn is_full(&self) -> bool {
        self.core.is_full()
    }

    /// Appends one message.
    pub fn push(&mut self, message: Message) -> Result<(), Error> {
        if self.core.history().messages().is_empty() || (self.is_guessed && self.tells_format(&message)) {
            let mut all = self.known();
            all.push(message);
            return self.sync(&all).map(|_| ());
        }
        let nth = self.messages();
        self.core.push(message).map(|_| ()).map_err(|error| Error::of_message(nth, error.to_string()))
    }

    /// Takes over the host's whole list: what is the same as before stays, the rest is new. Where the host changed the past,
    /// its version stands, and what is left of it is read again. Comparing costs time in proportion to the list, everything
    /// else to what is new.
    pub fn sync(&mut self, messages: &[Message]) -> Result<Synced, Error> {
        self.look_at_format(messages)?;
        let (system, tools) = (self.beside.system.clone(), self.beside.tools.clone());
        let texts = messages.iter().map(|message| message.text().clone());
        let synced = self.core.sync_parts(system, tools, texts);
        synced.map_err(|error| self.blame(&error, messages))
    }

    /// The same for a host that knows which of its messages it has given before: the first `kept` stay, these follow.
    pub fn sync_tail(&mut self, kept: usize, new: &[Message]) -> Result<Synced, Error> {
        let mut all = self.known();
        if kept > all.len() {
            let there = all.len();
            return Err(bad(format!("{kept} messages are to be kept, and the session has {there}")));
        }
        all.truncate(kept);
        all.extend_from_slice(new);
        self.sync(&all)
    }

    /// Says what stands beside the messages from the next [`Session::sync`] on: the system prompt and the tool definitions, as
    /// JSON. Another system prompt is another past.
    pub fn surround(&mut self, system: Option<ByteString>, tools: Option<ByteString>) -> Result<(), Error> {
        let value = |text: Option<ByteString>| {
            text.map(|text| serde_json::from_str(&text).map_err(|error| bad(format!("not JSON: {error}"))))
                .transpose()
        };
        let (system, tools) = (value(system)?, value(tools)?);
        if !self.is_guessed {
            let given = Options { system: system.clone(), tools: tools.clone(), ..Options::default() };
            self.beside = given.beside(self.wire)?;
        }
        (self.options.system, self.options.tools) = (system, tools);
        Ok(())
    }

    /// What to send now. `cache` says whether the provider still holds the last request.
    pub fn prepare(&mut self, cache: Cache) -> Result<View, Error> {
        let prepared = self.core.prepare(cache)?;
        let account = self.account.after(&prepared, &self.core);
        Ok(View::of_prepared(prepared, self.wire.name(), self.core.history(), account))
    }

    /// The provider refused the last view as too long; it may have said how many tokens it counted. The next view is folded
    /// harder, below what was refused.
    pub fn overflowed(&mut self, counted: Option<usize>) {
        if let Some(counted) = counted {
            self.core.report(counted);
        }
        self.core.overflowed();
    }

    /// Takes in how many input tokens, cached ones included, the provider counted for the last view.
    pub fn report(&mut self, input_tokens: usize) {
        self.core.report(input_tokens);
    }

    /// Opens a fold: the original, byte for byte.
    pub fn recall(&mut self, handle: &str) -> Result<Option<ByteString>, Error> {
        Ok(self.core.recall(parse_handle(handle)?))
    }

    /// The question that waits, for a model that reads at most `window` tokens: `{"key", "system", "user", "max_tokens",
    /// "temperature"}`. The view is good without its answer.
    pub fn question(&self, key: &str, window: usize) -> Option<String> {
        let asked = self.core.transcript(window)?;
        let (system, user, max_tokens) = (asked.system, asked.user, asked.max_tokens);
        let temperature = asked.temperature;
        let question = json!({ "key": key, "system": system, "user": user, "max_tokens": max_tokens, "temperature": temperature });
        Some(question.to_string())
    }

    /// The key of a question whose answer will be needed soon; to be asked in the background.
    pub fn question_ahead(&mut self) -> Option<String> {
        self.core.question_ahead().map(|question| question.key)
    }

    /// Takes in what a model answered. `finish` is why it stopped: `stop`, `length`, `tool_call`, `refusal`, or the provider's
    /// own word. Afterwards the next view tells it.
    pub fn answer(&mut self, key: &str, text: &str, finish: &str) -> Result<(), Error> {
        let finish = match finish {
            "stop" | "end_turn" => Finish::Stop,
            "length" | "max_tokens" => Finish::Length,
            "tool_call" | "tool_calls" | "tool_use" => Finish::ToolCall,
            "refusal" | "content_filter" => Finish::Refusal,
            other => Finish::Other(other.into()),
        };
        let taken = self.core.answer(key, text, &finish);
        taken.map_err(|error| Error::new(Code::BadInput, format!("the answer is not used: {error}")))
    }

    /// Nobody will answer the question of this key.
    pub fn give_up(&mut self, key: &str) {
        self.core.give_up(key);
    }

    /// To be called when the agent's work is done and the user has the word: folds what the next request need not hold, if
    /// that saves much.
    pub fn settle(&mut self) -> Option<View> {
        let prepared = self.core.settle()?;
        let account = self.account.after(&prepared, &self.core);
        Some(View::of_prepared(prepared, self.wire.name(), self.core.history(), account))
    }

    /// What clearing old outputs of tools would bring now: `{"is_worth_it", "outputs", "tokens", "tools"}`. Nothing is changed.
    pub fn pruning(&self) -> String {
        serde_json::to_string(&self.core.pruning()).expect("numbers and texts always become JSON")
    }

    /// Notes a file as changed by the session, whatever its calls show: its latest state matters more from here on.
    pub fn mark_modified(&mut self, path: &str) {
        self.options.settings.modified.push(path.into());
        self.core.mark_modified(path);
    }

    /// What another process needs beside the messages to go on with the very same view, as JSON; `None` while nothing was
    /// folded.
    pub fn checkpoint(&self) -> Option<String> {
        let checkpoint = self.core.checkpoint()?;
        Some(serde_json::to_string(&checkpoint).expect("numbers, lists and texts always become JSON"))
    }

    /// Goes on as another process did. To be called when the messages are there that were sent.
    pub fn reopen(&mut self, checkpoint: &str) -> Result<(), Error> {
        let checkpoint: Checkpoint =
            serde_json::from_str(checkpoint).map_err(|error| bad(format!("no checkpoint: {error}")))?;
        self.core.reopen(&checkpoint).map_err(|error| bad(error.to_string()))
    }

    /// The messages of the host's list so far.
    fn known(&self) -> Vec<Message> {
        let listed = self.core.history().listed();
        listed.map(|(_, message)| Message::written(message.raw.clone())).collect()
    }

    /// Whether a message may change what the format is taken for: it is not simply one of the present format, and of others.
    /// Most are, and only what they say is new.
    fn tells_format(&self, message: &Message) -> bool {
        let seen = enfold::file::detect_messages(&raws(std::slice::from_ref(message)));
        !matches!(seen, Some((wire, Likeness::Possible)) if wire.name() == self.wire.name())
    }

    /// While no message has shown the format for sure, another may still turn out to be right. Then the session begins again
    /// in that one: plain messages, which is all there was, mean the same in each.
    fn look_at_format(&mut self, messages: &[Message]) -> Result<(), Error> {
        let is_empty = self.core.history().messages().is_empty();
        let mut wire = self.wire;
        if self.is_guessed && !messages.is_empty() {
            let seen = enfold::file::detect_messages(&raws(messages));
            let (seen, likeness) = seen.unwrap_or((wire, Likeness::Possible));
            self.beside = self.options.beside(seen)?;
            self.is_guessed = likeness < Likeness::Sure;
            wire = seen;
        }
        if is_empty || wire.name() != self.wire.name() {
            let first = self.beside.system.as_deref().or(messages.first().map(|message| &**message.text()));
            self.core = core(wire, &self.options, &self.policy, self.room, first.unwrap_or_default())?;
            self.options.settings.modified.iter().for_each(|path| self.core.mark_modified(path));
            self.wire = wire;
        }
        Ok(())
    }

    /// Names the message that the core refused.
    fn blame(&self, error: &PushError, messages: &[Message]) -> Error {
        let guilty = messages.iter().position(|message| self.core.read(message.text().clone()).is_err());
        Error { message: guilty, ..Error::new(Code::BadInput, error.to_string()) }
    }
}

/// A handle as a model or a person wrote it.
pub(crate) fn parse_handle(written: &str) -> Result<Handle, Error> {
    Handle::parse(written)
        .ok_or_else(|| bad(format!("`{written}` is no handle: nine digits, with or without a # before them")))
}

fn core(
    wire: &'static dyn Wire,
    options: &Options,
    policy: &Arc<Policy>,
    room: Room,
    first: &str,
) -> Result<Core, Error> {
    let mut core = Core::new(wire, policy.clone(), room.limit).with_window(room.window);
    if let Some(model) = options.model() {
        let around = Around::default().with_model(Some(model.id.as_str().into()));
        core = core.counting_with(model.counter(), model.image).with_around(around);
    }
    if let Some(counter) = options.counter()? {
        let image = options.model().map_or_else(ImageRule::default, |model| model.image);
        core = core.counting_with(counter, image);
    }
    let mut core = core.with_handles(handles(options, first));
    if let Some(keep) = &options.persister {
        core = core.persisting(Arc::new(keep.clone()));
    }
    Ok(if options.asks { core.asking() } else { core })
}
