//! The arguments of the commands that write a session or a request in another way.

use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueEnum};
use enfold::file::document::Frame;

use super::values::{convertible, input};
use super::{ReportArg, SessionArgs};
use crate::input::Input;

#[derive(Debug, ClapArgs)]
pub struct ConvertArgs {
    #[command(flatten)]
    pub session: SessionArgs,
    /// The format to write. Into the format it is in, a session comes out byte for byte; in an older spelling of it (AI
    /// SDK 4, UI messages), as the format is today.
    #[arg(long, value_name = "FORMAT", value_parser = convertible())]
    pub to: String,
    /// What surrounds the messages: a request object, an array, or one message per line. By default as in the input.
    #[arg(long = "as", value_name = "FRAME")]
    pub frame: Option<FrameArg>,
    /// Write to a file, which appears whole or not at all; it may be the input itself.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Write nothing and exit with 4 if anything would be lost.
    #[arg(long)]
    pub strict: bool,
    /// How to report losses on stderr.
    #[arg(long, value_name = "HOW", default_value = "table")]
    pub report: ReportArg,
}

pub(super) const CONVERT: &str = "\
Examples:
  enfold convert session.jsonl --to openai-chat -o messages.jsonl
  enfold convert request.json --to anthropic --as request > other.json
  enfold convert session.jsonl --to gemini --strict || echo 'something would be lost'";

/// What surrounds the messages.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum FrameArg {
    /// A request object, with model, system prompt and tools where there are any.
    Request,
    /// A JSON array of messages.
    Array,
    /// One message per line.
    Lines,
}

impl From<FrameArg> for Frame {
    fn from(frame: FrameArg) -> Frame {
        match frame {
            FrameArg::Request => Frame::Request,
            FrameArg::Array => Frame::Array,
            FrameArg::Lines => Frame::Lines,
        }
    }
}

#[derive(Debug, ClapArgs)]
pub struct IntentArgs {
    /// Tool definitions as JSON: one, a list, or a whole request; `-` or nothing for standard input.
    #[arg(value_name = "FILE", default_value = "-", hide_default_value = true, value_parser = input())]
    pub file: Input,
    /// Write to a file, which appears whole or not at all; it may be the input itself.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Of a list, only the tools of these names; by default those that change files.
    #[arg(long, value_name = "NAME")]
    pub tool: Vec<String>,
}

pub(super) const INTENT: &str = "\
Definitions of every request format are understood, and everything but the new field stays byte for byte. What models write \
there is what `enfold changelog` lists, and what is left of old edits in a view.

Examples:
  enfold intent tools.json -o tools.json
  enfold intent request.json --tool edit_file | curl … -d @-";
