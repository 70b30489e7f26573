//! What an agent has to say differently to the three APIs: little, because tool definitions and calls are read and
//! written by Enfold.

use enfold::json::ObjectWriter;
use enfold::wire::{Anthropic, OpenAiChat, OpenAiResponses, Wire};
use enfold_llm::Api;

use crate::tools::Outcome;

/// The APIs by their names on the command line.
#[derive(Clone, Copy, clap::ValueEnum)]
pub(crate) enum ApiName {
    /// Anthropic Messages.
    Anthropic,
    /// OpenAI Chat Completions, which most servers speak.
    Chat,
    /// OpenAI Responses.
    Responses,
}

impl ApiName {
    pub(crate) fn api(self) -> Api {
        match self {
            ApiName::Anthropic => Api::Anthropic,
            ApiName::Chat => Api::Chat,
            ApiName::Responses => Api::Responses,
        }
    }

    pub(crate) fn wire(self) -> &'static dyn Wire {
        match self {
            ApiName::Anthropic => &Anthropic,
            ApiName::Chat => &OpenAiChat,
            ApiName::Responses => &OpenAiResponses,
        }
    }

    /// The messages that bring the results of calls.
    pub(crate) fn results(self, outcomes: &[Outcome]) -> Vec<String> {
        match self {
            // All results of an answer in one message of the user's.
            ApiName::Anthropic => {
                let blocks = outcomes.iter().map(|outcome| {
                    let block = ObjectWriter::new().string("type", "tool_result");
                    let block = block.string("tool_use_id", &outcome.call).string("content", outcome.text());
                    if outcome.result.is_err() { block.json("is_error", "true") } else { block }.finish()
                });
                vec![ObjectWriter::new().string("role", "user").array("content", blocks).finish()]
            }
            ApiName::Chat => {
                let messages = outcomes.iter().map(|outcome| {
                    let message = ObjectWriter::new().string("role", "tool");
                    message.string("tool_call_id", &outcome.call).string("content", outcome.text()).finish()
                });
                messages.collect()
            }
            ApiName::Responses => {
                let items = outcomes.iter().map(|outcome| {
                    let item = ObjectWriter::new().string("type", "function_call_output");
                    item.string("call_id", &outcome.call).string("output", outcome.text()).finish()
                });
                items.collect()
            }
        }
    }
}

/// A message of plain text, which all three take in this form.
pub(crate) fn message(role: &str, text: &str) -> String {
    ObjectWriter::new().string("role", role).string("content", text).finish()
}
