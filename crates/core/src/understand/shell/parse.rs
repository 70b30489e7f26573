//! From a command line to brush's syntax tree, within limits.
//!
//! The tokeniser recurses into what it finds open, and the grammar backtracks: 28 open parentheses that never close
//! cost it six seconds. So commands are counted, tokenised, measured, and parsed only if they are as flat as real ones
//! are: of 3,445 commands in real sessions all but one unterminated quote parse, in 15 µs each.
//!
//! tree-sitter-bash is no way out: 9 crates instead of 77, but its error recovery takes time with the square of the
//! text (4 KB of `)` 0.1 s; 32 KB of `a | ` 2.6 s and 0.6 GB, 100 KB 69 s) and cannot be stopped reliably by its
//! progress callback; and it loses the `-` of `node - <<E`.

use brush_parser::{ParserOptions, Token, ast};

/// Longer commands are not parsed.
const MAX_BYTES: usize = 1 << 18;
/// Commands with more inner commands (`$(…)`) than this are not parsed.
const MAX_INNER: usize = 60;
/// Commands with more `${` and `$[` than this are not parsed. The tokeniser recurses into each that stays open: 3,000
/// of them overflow a stack of 2 MB, which ends the process; real commands have at most 2.
const MAX_BRACED: usize = 500;
/// Brackets in a word that starts like an assignment to an element, `a[`. The grammar tries them all again and again:
/// 3,000 cost it half a second, 10,000 overflow the stack.
const MAX_BRACKETS: usize = 50;
/// What may be nested in one command: a parenthesis or a block weighs 1, a `case` 3. Real commands weigh at most 3;
/// at 10, left open in the worst order, the grammar backtracks for less than a millisecond; at 28 for seconds.
const MAX_WEIGHT: usize = 10;

/// The syntax tree of a command, or `None` where there is none or it would cost too much.
pub(super) fn program(command: &str) -> Option<ast::Program> {
    if command.len() > MAX_BYTES
        || command.matches("$(").count() > MAX_INNER
        || command.matches("${").count() + command.matches("$[").count() > MAX_BRACED
    {
        return None;
    }
    // At the end of the text the tokeniser waits forever, allocating, for a here-document whose mark is empty and whose
    // line has not ended: `cat <<'' `. A line end ends it; the first of the two may be escaped.
    let command = format!("{command}\n\n");
    // Fuzzing found one panic in brush, which `is_harmless` keeps away; a second one must not end the process.
    std::panic::catch_unwind(|| {
        let options = ParserOptions::default();
        let tokens = brush_parser::uncached_tokenize_str(&command, &options.tokenizer_options()).ok()?;
        if !is_harmless(&tokens) {
            return None;
        }
        brush_parser::parse_tokens(&tokens, &options).ok()
    })
    .unwrap_or(None)
}

fn is_harmless(tokens: &[Token]) -> bool {
    let (mut open, mut deepest, mut blocks) = (0usize, 0usize, 0usize);
    for token in tokens {
        match token.to_str() {
            "(" => open += 1,
            "((" => open += 2,
            ")" => open = open.saturating_sub(1),
            "))" => open = open.saturating_sub(2),
            "case" => blocks += 3,
            "{" | "if" | "while" | "until" | "for" | "select" | "function" | "coproc" => blocks += 1,
            // brush takes digits before a redirection for a file descriptor, and panics if they are none.
            word if word.is_empty() || (word.len() > 9 && word.bytes().all(|byte| byte.is_ascii_digit())) => {
                return false;
            }
            word if word.matches('[').count() > MAX_BRACKETS && starts_an_element(word) => return false,
            _ => {}
        }
        deepest = deepest.max(open);
    }
    deepest + blocks <= MAX_WEIGHT
}

fn starts_an_element(word: &str) -> bool {
    let name = word.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_');
    name.len() < word.len() && name.starts_with('[')
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
