//! What the words of a command line stand for. A word that cannot be meant is answered with one that can.

#[cfg(feature = "serve")]
use std::net::SocketAddr;
use std::str::FromStr;

use clap::builder::{OsStringValueParser, PossibleValue, PossibleValuesParser, TypedValueParser};
use enfold::count::Encoding;
use enfold::count::budget::{BudgetError, BudgetSpec};
use enfold::file;
use enfold::validate::WIRES;

use super::TokenizerArg;
use crate::input::Input;

/// A session to read.
pub fn input() -> impl TypedValueParser<Value = Input> {
    OsStringValueParser::new().map(|name| Input::from(name.as_os_str()))
}

/// The formats that can be written are offered. An agent's own log is only that agent's to write; into the same it may be
/// copied.
pub fn convertible() -> PossibleValuesParser {
    let is_offered = |name: &str| name == file::NOTATION || WIRES.contains(&name);
    let value = |name: &'static str| PossibleValue::new(name).hide(!is_offered(name));
    PossibleValuesParser::new(file::names().into_iter().map(value))
}

/// The formats that can be read.
pub fn readable() -> PossibleValuesParser {
    PossibleValuesParser::new(std::iter::once("auto").chain(file::names()))
}

/// What to count with.
pub fn tokenizer(named: &str) -> Result<TokenizerArg, String> {
    Ok(match named {
        "o200k" | "o200k_base" => TokenizerArg::Bpe(Encoding::O200k),
        "cl100k" | "cl100k_base" => TokenizerArg::Bpe(Encoding::Cl100k),
        "heuristic" => TokenizerArg::Heuristic,
        path if path.contains(['.', '/', '\\']) => TokenizerArg::File(path.into()),
        _ => return Err("expected o200k, cl100k, heuristic or the path of a tokenizer.json".into()),
    })
}

/// Which one, or how many: 1, 2, 3 and so on.
pub fn from_one(typed: &str) -> Result<usize, String> {
    let number = typed.parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| "expected a whole number from 1 on, such as 20".into())
}

/// A whole number, 0 too.
pub fn whole<N: FromStr>(typed: &str) -> Result<N, String> {
    typed.parse().map_err(|_| match typed.starts_with('-') {
        true => "must be positive: a whole number, such as 12".into(),
        false => "expected a whole number, such as 12".into(),
    })
}

/// A number of tokens; unlike a budget it may be 0.
pub fn tokens(typed: &str) -> Result<usize, String> {
    match typed.parse() {
        _ if typed.trim() == "0" => Ok(0),
        Ok(BudgetSpec::Tokens(tokens)) => Ok(tokens),
        _ => Err("expected a number of tokens, such as 2000 or 4k".into()),
    }
}

/// What a view may take.
pub fn budget(typed: &str) -> Result<BudgetSpec, String> {
    spec(typed, "a view takes at least 1 token; write for example 16000, 16k, 0.8 or 80%")
}

/// The window of a model.
pub fn window(typed: &str) -> Result<BudgetSpec, String> {
    spec(typed, "a window has at least 1 token; write for example 64k")
}

fn spec(typed: &str, at_least_one: &str) -> Result<BudgetSpec, String> {
    let is_nothing = typed.starts_with('-') || typed.parse() == Ok(0);
    typed.parse().map_err(|error| match error {
        _ if is_nothing => at_least_one.to_string(),
        BudgetError::NotAShare(_) => {
            "a share is above 0 and at most 1; write for example 0.8 or 80%, or tokens: 16k, 1.5M".to_string()
        }
        _ => "no number of tokens and no share of a window; write for example 16000, 16k, 1.5M, 0.8 or 80%"
            .to_string(),
    })
}

/// Where to listen.
#[cfg(feature = "serve")]
pub fn address(typed: &str) -> Result<SocketAddr, String> {
    typed.parse().map_err(|_| "expected an address in numbers and a port, such as 127.0.0.1:8787".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_meant_is_answered_with_an_example() {
        let said = |typed: &str| budget(typed).unwrap_err();
        assert!(said("0").starts_with("a view takes at least 1 token"), "{}", said("0"));
        assert!(said("-5").starts_with("a view takes at least 1 token"), "{}", said("-5"));
        assert!(said("1.5").starts_with("a share is above 0 and at most 1"), "{}", said("1.5"));
        assert!(said("much").starts_with("no number of tokens and no share"), "{}", said("much"));
        assert!(window("0").unwrap_err().contains("64k"));
        assert!(!window("abc").unwrap_err().contains("budget"));
        assert!(from_one("0").is_err() && from_one("20") == Ok(20));
    }
}
