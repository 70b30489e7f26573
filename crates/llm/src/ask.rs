//! What is asked, and what is answered.

use std::time::Duration;

use bytestring::ByteString;
use enfold::count::Usage;
use enfold::summary::{Finish, Transcript};
use enfold::wire;
use enfold::wire::Wire;

use crate::Error;

/// The API that a request is written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Api {
    /// Anthropic Messages: `POST /v1/messages`.
    Anthropic,
    /// OpenAI Chat Completions, and the many servers that speak it: `POST /v1/chat/completions`.
    Chat,
    /// OpenAI Responses: `POST /v1/responses`.
    Responses,
}

impl Api {
    /// Its wire format in core.
    pub fn wire(self) -> &'static dyn Wire {
        match self {
            Api::Anthropic => &wire::Anthropic,
            Api::Chat => &wire::OpenAiChat,
            Api::Responses => &wire::OpenAiResponses,
        }
    }
}

/// A question to a model. Messages, tools and extra fields are JSON already and are sent byte for byte.
#[derive(Clone, Debug, Default)]
pub struct Ask {
    /// The model, as the provider spells it.
    pub model: String,
    /// The system prompt, as text. A system prompt of blocks goes to `extra` under the provider's key.
    pub system: Option<ByteString>,
    /// The messages (in Responses: input items), each one JSON value in the wire format of the client's API.
    pub messages: Vec<ByteString>,
    /// The tools: a JSON array in the wire format.
    pub tools: Option<ByteString>,
    /// The most tokens the model may write.
    pub max_tokens: u32,
    /// Left out where a model is found to refuse it.
    pub temperature: Option<f64>,
    /// Further fields of the request, as name and JSON value. A field that this struct states itself wins over one
    /// of the same name here, so the other fields of an existing request can be handed over as they are. `stream`,
    /// `stream_options` and the fields that limit the answer are left out: the client writes its own.
    pub extra: Vec<(String, ByteString)>,
}

impl Ask {
    /// A question without messages yet.
    pub fn new(model: impl Into<String>, max_tokens: u32) -> Ask {
        Ask { model: model.into(), max_tokens, ..Ask::default() }
    }

    /// The question for a summary in its cheap shape.
    pub fn of_transcript(api: Api, model: impl Into<String>, transcript: Transcript) -> Ask {
        let max_tokens = u32::try_from(transcript.max_tokens).unwrap_or(u32::MAX);
        let mut ask = Ask::new(model, max_tokens).message(api.wire().user_message(&transcript.user));
        ask.system = Some(transcript.system.into());
        ask.temperature = Some(transcript.temperature);
        ask
    }

    /// Adds a message, as JSON.
    pub fn message(mut self, json: impl Into<ByteString>) -> Ask {
        self.messages.push(json.into());
        self
    }

    /// Adds a field of the request, as JSON.
    pub fn extra(mut self, name: impl Into<String>, json: impl Into<ByteString>) -> Ask {
        self.extra.push((name.into(), json.into()));
        self
    }
}

/// What a model answered.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// All text of the answer. Empty is possible; with [`Finish::Refusal`] it is the words of the refusal.
    pub text: String,
    /// The answer as the wire format keeps it, to be appended to the messages of the next question: the model's
    /// message, or in Responses each of its output items, with all that stands in them byte for byte (calls, reasoning,
    /// signatures). Nothing where there is nothing to append. Empty also where the answer came as a stream of events,
    /// which never has it in one piece.
    pub message: Vec<ByteString>,
    /// Why the model stopped. Only after [`Finish::Stop`] is the text whole.
    pub finish: Finish,
    /// Token numbers, where the provider reported any. Where in a history the answer stands, the caller knows:
    /// [`Usage::messages`] is 0.
    pub usage: Option<Usage>,
    /// The attempts that failed before this answer came, in order.
    pub retried: Vec<Error>,
}

/// What happens while an answer is obtained.
#[derive(Debug)]
pub enum Progress<'a> {
    /// More text of the answer.
    Text(&'a str),
    /// The attempt failed and another follows after `wait`. Text received so far belongs to the failed attempt.
    Retry {
        /// What went wrong.
        error: &'a Error,
        /// How long the client waits before the next attempt.
        wait: Duration,
    },
}
