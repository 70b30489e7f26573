//! What pictures, documents and sounds take. Never 0, and rather too much than too little.
//!
//! Pictures are counted from their size in pixels, read from the first bytes of the file, by the provider's rule:
//!
//! | rule | in the model table | who | source |
//! |---|---|---|---|
//! | 28-pixel patches after shrinking to a longest edge, at most so many | `patches28:EDGE:MAX` | Claude: 1568 px and 1,568 tokens; from 4.7 on 2576 px and 4,784; also the guess for models without a known rule | platform.claude.com, build-with-claude/vision |
//! | 32-pixel patches, at most so many, times a multiplier in percent | `patches32:PERCENT:MAX` | OpenAI: small models and GPT-5.1 and later | developers.openai.com, guides/images-vision, and measurements published there |
//! | base + tiles of 512 pixels after shrinking into 2048 × 2048 and to a shorter side of 768 | `tiles:BASE:TILE` | OpenAI: GPT-4o, GPT-4.1, GPT-5, o1, o3 | same |
//! | tiles of 768 pixels; one if both sides are at most 384 | `tiles768:TILE` | Gemini up to 2.5 | ai.google.dev, gemini-api/docs/tokens |
//! | the same for every picture | `fixed:TOKENS` | Gemini 3 and later | ai.google.dev, media resolution |
//!
//! What a format does not say is assumed: a picture whose size cannot be read counts as 1920 × 1080, a remote
//! document as 10 pages, a remote sound as 60 seconds.
//! Documents: 3,000 tokens (text and picture of a page) per started 30 kB; text documents a third of their bytes.
//! Sounds: 32 tokens per second, at 32 kB per second for uncompressed and 8 kB for compressed sound.

use std::fmt;
use std::str::FromStr;

use base64::Engine;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use crate::history::{Media, MediaKind, MediaSource};

/// How a model counts pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageRule {
    /// 28-pixel patches.
    Patches28 {
        /// Longest edge in pixels; larger pictures are shrunk to it.
        edge: u32,
        /// The most a picture can take.
        max: usize,
    },
    /// 32-pixel patches.
    Patches32 {
        /// Tokens per hundred patches.
        percent: u32,
        /// The most patches a picture can have, where there is such a limit.
        max: Option<usize>,
    },
    /// 512-pixel tiles.
    Tiles {
        /// Tokens of any picture.
        base: usize,
        /// Tokens of each tile.
        tile: usize,
    },
    /// 768-pixel tiles.
    Tiles768 {
        /// Tokens of each tile.
        tile: usize,
    },
    /// The same for every picture.
    Fixed(usize),
}

/// An image rule that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "image rule `{0}` is not one of patches28:EDGE:MAX, patches32:PERCENT:MAX, tiles:BASE:TILE, tiles768:TILE, fixed:TOKENS; write one of these"
)]
pub struct ImageRuleError(String);

/// Width and height of a picture in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pixels {
    /// Width.
    pub width: u32,
    /// Height.
    pub height: u32,
}

/// What a picture of unknown size is taken for: a screenshot.
pub(crate) const ASSUMED_PIXELS: Pixels = Pixels { width: 1920, height: 1080 };

const PAGE_BYTES: usize = 30_000;
const PAGE_TOKENS: usize = 3_000;
const ASSUMED_PAGES: usize = 10;
const SECOND_TOKENS: usize = 32;
const ASSUMED_SECONDS: usize = 60;

/// The tokens of one media item. `raw` is the message it stands in.
pub(crate) fn count_media(media: &Media, raw: &str, rule: ImageRule) -> usize {
    let inline = match &media.source {
        MediaSource::Inline(span) => raw.get(span.range()).map(base64_of),
        MediaSource::Remote(_) => None,
    };
    let mime = media.mime.as_deref().unwrap_or_default();
    let tokens = match (media.kind, inline) {
        (MediaKind::Image, inline) => rule.tokens(inline.and_then(pixels).unwrap_or(ASSUMED_PIXELS)),
        (MediaKind::Document, Some(data)) => document_tokens(mime, decoded_len(data)),
        (MediaKind::Document, None) => ASSUMED_PAGES * PAGE_TOKENS,
        (MediaKind::Audio, Some(data)) => audio_tokens(mime, decoded_len(data)),
        (MediaKind::Audio, None) => ASSUMED_SECONDS * SECOND_TOKENS,
    };
    tokens.max(1)
}

impl ImageRule {
    /// The tokens of a picture of this size.
    pub(crate) fn tokens(self, size: Pixels) -> usize {
        let (width, height) = (u64::from(size.width.max(1)), u64::from(size.height.max(1)));
        let tokens = match self {
            ImageRule::Patches28 { edge, max } => {
                let (width, height) = shrink_longest(width, height, u64::from(edge.max(1)));
                (width.div_ceil(28) * height.div_ceil(28)).min(max as u64)
            }
            ImageRule::Patches32 { percent, max } => {
                let patches = width.div_ceil(32) * height.div_ceil(32);
                let patches = max.map_or(patches, |max| patches.min(max as u64));
                patches.saturating_mul(u64::from(percent)).div_ceil(100)
            }
            ImageRule::Tiles { base, tile } => {
                let (width, height) = shrink_longest(width, height, 2048);
                let (width, height) = shrink_shortest(width, height, 768);
                base as u64 + width.div_ceil(512) * height.div_ceil(512) * tile as u64
            }
            ImageRule::Tiles768 { tile } if width <= 384 && height <= 384 => tile as u64,
            ImageRule::Tiles768 { tile } => {
                (width.div_ceil(768) * height.div_ceil(768)).saturating_mul(tile as u64)
            }
            ImageRule::Fixed(tokens) => tokens as u64,
        };
        usize::try_from(tokens.max(1)).unwrap_or(usize::MAX)
    }
}

fn shrink_longest(width: u64, height: u64, edge: u64) -> (u64, u64) {
    let longest = width.max(height);
    if longest <= edge {
        return (width, height);
    }
    ((width * edge / longest).max(1), (height * edge / longest).max(1))
}

fn shrink_shortest(width: u64, height: u64, edge: u64) -> (u64, u64) {
    let shortest = width.min(height);
    if shortest <= edge {
        return (width, height);
    }
    (width * edge / shortest, height * edge / shortest)
}

fn document_tokens(mime: &str, bytes: usize) -> usize {
    if mime.starts_with("text/") {
        bytes.div_ceil(3)
    } else {
        bytes.div_ceil(PAGE_BYTES).max(1) * PAGE_TOKENS
    }
}

fn audio_tokens(mime: &str, bytes: usize) -> usize {
    let is_plain = ["wav", "pcm", "l16"].iter().any(|kind| mime.to_ascii_lowercase().contains(kind));
    bytes.div_ceil(if is_plain { 32_000 } else { 8_000 }).max(1) * SECOND_TOKENS
}

/// The base64 text inside a JSON string literal, without quotes and data URL head.
fn base64_of(literal: &str) -> &str {
    let inner = literal.strip_prefix('"').unwrap_or(literal);
    let inner = inner.strip_suffix('"').unwrap_or(inner);
    let head = &inner[..inner.floor_char_boundary(256)];
    match head.find(";base64,") {
        Some(at) if inner.starts_with("data:") => &inner[at + ";base64,".len()..],
        _ => inner,
    }
}

fn decoded_len(base64: &str) -> usize {
    base64.len() / 4 * 3
}

/// The size of a picture, from as few of its first bytes as hold it. Most formats say it in the first hundred; a
/// JPEG may hide it behind a megabyte of metadata.
pub(crate) fn pixels(base64: &str) -> Option<Pixels> {
    [4 * 1024, 128 * 1024, 2 * 1024 * 1024].into_iter().find_map(|length| {
        let bytes = decode_prefix(base64, length)?;
        let size = imagesize::blob_size(&bytes).ok()?;
        let pixel = |side: usize| u32::try_from(side).ok().filter(|side| *side > 0);
        Some(Pixels { width: pixel(size.width)?, height: pixel(size.height)? })
    })
}

/// Decodes the first `length` characters, as far as they are base64 (standard or URL alphabet, JSON's `\/` allowed).
fn decode_prefix(base64: &str, length: usize) -> Option<Vec<u8>> {
    const LENIENT: GeneralPurpose = GeneralPurpose::new(
        &alphabet::STANDARD,
        GeneralPurposeConfig::new()
            .with_decode_padding_mode(DecodePaddingMode::Indifferent)
            .with_decode_allow_trailing_bits(true),
    );
    let prefix = base64.bytes().take(length).filter(|byte| *byte != b'\\');
    let mut digits: Vec<u8> = prefix
        .map(|byte| match byte {
            b'-' => b'+',
            b'_' => b'/',
            byte => byte,
        })
        .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/'))
        .collect();
    digits.truncate(digits.len() / 4 * 4);
    LENIENT.decode(digits).ok()
}

impl FromStr for ImageRule {
    type Err = ImageRuleError;

    fn from_str(text: &str) -> Result<ImageRule, ImageRuleError> {
        let error = || ImageRuleError(text.to_string());
        let number = |part: &str| part.parse::<u32>().map_err(|_| error());
        let parts: Vec<&str> = text.split(':').collect();
        Ok(match parts[..] {
            ["patches28", edge, max] => {
                ImageRule::Patches28 { edge: number(edge)?, max: number(max)? as usize }
            }
            ["patches32", percent, ""] => ImageRule::Patches32 { percent: number(percent)?, max: None },
            ["patches32", percent, max] => {
                ImageRule::Patches32 { percent: number(percent)?, max: Some(number(max)? as usize) }
            }
            ["tiles", base, tile] => {
                ImageRule::Tiles { base: number(base)? as usize, tile: number(tile)? as usize }
            }
            ["tiles768", tile] => ImageRule::Tiles768 { tile: number(tile)? as usize },
            ["fixed", tokens] => ImageRule::Fixed(number(tokens)? as usize),
            _ => return Err(error()),
        })
    }
}

impl fmt::Display for ImageRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ImageRule::Patches28 { edge, max } => write!(f, "patches28:{edge}:{max}"),
            ImageRule::Patches32 { percent, max: Some(max) } => write!(f, "patches32:{percent}:{max}"),
            ImageRule::Patches32 { percent, max: None } => write!(f, "patches32:{percent}:"),
            ImageRule::Tiles { base, tile } => write!(f, "tiles:{base}:{tile}"),
            ImageRule::Tiles768 { tile } => write!(f, "tiles768:{tile}"),
            ImageRule::Fixed(tokens) => write!(f, "fixed:{tokens}"),
        }
    }
}

impl Default for ImageRule {
    fn default() -> ImageRule {
        ImageRule::Patches28 { edge: 1568, max: 1568 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::Span;

    /// An 800 × 600 PNG's first bytes.
    fn png(width: u32, height: u32) -> String {
        let mut bytes = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
        bytes.extend(width.to_be_bytes());
        bytes.extend(height.to_be_bytes());
        bytes.extend([8, 6, 0, 0, 0, 0, 0, 0, 0]);
        bytes.extend([0; 64]);
        base64::engine::general_purpose::STANDARD.encode(bytes)
    }

    fn inline(kind: MediaKind, mime: &str, data: &str) -> (Media, String) {
        let raw = format!("\"{data}\"");
        (Media { kind, mime: Some(mime.into()), source: MediaSource::Inline(Span::whole(&raw)) }, raw)
    }

    #[test]
    fn a_picture_counts_by_its_size_under_each_rule() {
        let count = |rule: &str, width, height| {
            let (media, raw) = inline(MediaKind::Image, "image/png", &png(width, height));
            count_media(&media, &raw, rule.parse().unwrap())
        };
        assert_eq!(count("patches28:1568:1568", 1024, 1024), 37 * 37);
        assert_eq!(count("patches28:1568:1568", 3000, 2000), 1568);
        assert_eq!(count("patches28:2576:4784", 1920, 1080), 69 * 39);
        assert_eq!(count("patches32:120:", 1024, 1024), 1229);
        assert_eq!(count("patches32:162:1536", 1800, 2400), 2489);
        assert_eq!(count("tiles:85:170", 1024, 1024), 765);
        assert_eq!(count("tiles:85:170", 2048, 4096), 1105);
        assert_eq!(count("tiles768:258", 384, 384), 258);
        assert_eq!(count("tiles768:258", 960, 540), 2 * 258);
        assert_eq!(count("fixed:1120", 4032, 3024), 1120);
    }

    #[test]
    fn data_urls_url_safe_letters_and_escaped_slashes_are_read() {
        let data = format!("data:image/png;base64,{}", png(800, 600).replace('/', "\\/"));
        let (media, raw) = inline(MediaKind::Image, "image/png", &data);
        assert_eq!(count_media(&media, &raw, ImageRule::default()), 29 * 22);
        assert_eq!(
            pixels(&png(800, 600).replace('+', "-").replace('/', "_")),
            Some(Pixels { width: 800, height: 600 })
        );
    }

    #[test]
    fn nothing_counts_as_zero() {
        for kind in [MediaKind::Image, MediaKind::Document, MediaKind::Audio] {
            for data in ["", "????", "AAAA", "é"] {
                let (media, raw) = inline(kind, "", data);
                assert!(count_media(&media, &raw, ImageRule::Fixed(0)) > 0, "{kind:?} {data:?}");
            }
            let remote = Media { kind, mime: None, source: MediaSource::Remote("https://x".into()) };
            assert!(count_media(&remote, "", ImageRule::default()) > 1000, "{kind:?}");
            let astray = Media { kind, mime: None, source: MediaSource::Inline(Span::new(5..99)) };
            assert!(count_media(&astray, "\"\"", ImageRule::default()) > 0, "{kind:?}");
        }
    }

    #[test]
    fn an_unreadable_picture_counts_as_a_screenshot() {
        let (media, raw) = inline(MediaKind::Image, "image/png", "AAAA");
        assert_eq!(count_media(&media, &raw, ImageRule::default()), 56 * 32 - 224, "capped at 1568");
    }

    #[test]
    fn documents_and_sounds_count_by_their_bytes() {
        let (pdf, raw) = inline(MediaKind::Document, "application/pdf", &"A".repeat(80_000));
        assert_eq!(count_media(&pdf, &raw, ImageRule::default()), 2 * 3_000);
        let (text, raw) = inline(MediaKind::Document, "text/plain", &"A".repeat(4_000));
        assert_eq!(count_media(&text, &raw, ImageRule::default()), 1_000);
        let (wav, raw) = inline(MediaKind::Audio, "audio/wav", &"A".repeat(128_000));
        assert_eq!(count_media(&wav, &raw, ImageRule::default()), 3 * 32);
    }

    #[test]
    fn rules_read_as_they_print() {
        for text in [
            "patches28:1568:1568",
            "patches32:120:",
            "patches32:120:10000",
            "tiles:85:170",
            "tiles768:258",
            "fixed:1120",
        ] {
            assert_eq!(text.parse::<ImageRule>().unwrap().to_string(), text);
        }
        assert!("tiles:x:1".parse::<ImageRule>().is_err());
        assert!("".parse::<ImageRule>().unwrap_err().to_string().contains("write one of these"));
    }

    #[test]
    fn a_huge_picture_does_not_overflow() {
        for rule in ["patches28:1568:1568", "patches32:120:", "tiles:85:170", "tiles768:258"] {
            let rule: ImageRule = rule.parse().unwrap();
            assert!(rule.tokens(Pixels { width: u32::MAX, height: u32::MAX }) > 0);
            assert!(rule.tokens(Pixels { width: u32::MAX, height: 1 }) > 0);
        }
    }
}
