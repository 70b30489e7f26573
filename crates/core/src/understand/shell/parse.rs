//! From a command line to brush's syntax tree, within limits.
//!
//! The grammar backtracks: 28 open parentheses that never close cost it six seconds, and nesting costs stack. So
//! commands are tokenised first (linear, no recursion), measured, and parsed only if they are as flat as real ones
//! are: of 3,445 commands in real sessions all but one unterminated quote parse, in 15 µs each.

use brush_parser::{ParserOptions, Token, ast};

/// Longer commands are not parsed.
const MAX_BYTES: usize = 1 << 18;
/// More open parentheses at once than this are not parsed.
const MAX_PARENTHESES: usize = 10;
/// More words that open a block (`if`, `{`, `while`, …) than this are not parsed.
const MAX_BLOCKS: usize = 60;

/// The syntax tree of a command, or `None` where there is none or it would cost too much.
pub(super) fn program(command: &str) -> Option<ast::Program> {
    if command.len() > MAX_BYTES || command.matches("$(").count() > MAX_BLOCKS {
        return None;
    }
    let options = ParserOptions::default();
    let tokens = brush_parser::uncached_tokenize_str(command, &options.tokenizer_options()).ok()?;
    if !is_flat(&tokens) {
        return None;
    }
    brush_parser::parse_tokens(&tokens, &options).ok()
}

fn is_flat(tokens: &[Token]) -> bool {
    let (mut open, mut blocks) = (0usize, 0usize);
    for token in tokens {
        match token.to_str() {
            "(" | "((" => open += 1,
            ")" | "))" => open = open.saturating_sub(1),
            "{" | "if" | "while" | "until" | "for" | "case" | "select" | "[[" | "!" => blocks += 1,
            _ => {}
        }
        if open > MAX_PARENTHESES || blocks > MAX_BLOCKS {
            return false;
        }
    }
    true
}

/// A rough reading of what cannot be parsed: words, cut into commands at `;`, `&&`, `||`, `|` and line ends.
pub(super) fn rough(command: &str) -> Vec<Vec<String>> {
    let mut commands = Vec::new();
    let end = (0..=command.len().min(MAX_BYTES)).rev().find(|at| command.is_char_boundary(*at)).unwrap_or(0);
    for line in command[..end].lines() {
        let words = shlex::split(line).unwrap_or_else(|| line.split_whitespace().map(String::from).collect());
        commands.extend(
            words.split(|word| matches!(word.as_str(), ";" | "&&" | "||" | "|")).map(<[String]>::to_vec),
        );
    }
    commands.retain(|words| !words.is_empty());
    commands
}
