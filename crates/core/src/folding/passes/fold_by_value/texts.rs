//! What every plan needs to know of the texts, found once: which names can add to a line, and which lines are a block.

use super::analysis::{Analysis, Line};
use super::choose::Gain;
use super::worth::Id;

/// Longer definitions are too much to be kept for one line of theirs.
const LONGEST_BLOCK: usize = 40;

/// The texts of all parts.
pub(super) struct Texts {
    /// Names that can add to what their line is worth, back to back. A name that its part has shown in an earlier line, or
    /// that stands in what is never folded, adds nothing unless it is worth something the second time.
    pub(super) names: Vec<Id>,
    /// Where the names of each line of the analysis begin; one more at the end.
    pub(super) starts: Vec<u32>,
    blocks: Vec<Block>,
    /// Where the blocks of each part begin; one more at the end.
    parts: Vec<usize>,
}

/// The lines of a definition, which stay or go together.
struct Block {
    /// Of its part.
    start: usize,
    end: usize,
    cost: f64,
}

impl Texts {
    /// Reads the texts of an analysis. O(lines).
    pub(super) fn of(analysis: &Analysis) -> Texts {
        let mut texts = Texts {
            names: Vec::with_capacity(analysis.line_names.len()),
            starts: Vec::with_capacity(analysis.lines.len() + 1),
            blocks: Vec::new(),
            parts: vec![0],
        };
        // Per name the part that had it last.
        let mut had = vec![NOWHERE; analysis.name_value.len()];
        for name in &analysis.given_names {
            had[*name as usize] = EVERYWHERE;
        }
        texts.starts.push(0);
        for (nth, part) in analysis.parts.iter().enumerate() {
            let lines = &analysis.lines[part.lines.clone()];
            for line in lines {
                for name in &analysis.line_names[line.names()] {
                    let (at, had) = (*name as usize, &mut had[*name as usize]);
                    let was_had = *had == EVERYWHERE || *had == nth as u32;
                    if *had != EVERYWHERE {
                        *had = nth as u32;
                    }
                    if !was_had || analysis.echo_value[at] != 0.0 {
                        texts.names.push(*name);
                    }
                }
                texts.starts.push(texts.names.len() as u32);
            }
            texts.find_blocks(lines);
            texts.parts.push(texts.blocks.len());
        }
        texts
    }

    fn find_blocks(&mut self, lines: &[Line]) {
        let mut start = 0;
        for block in lines.chunk_by(|a, b| a.block == b.block) {
            let end = start + block.len();
            if block[0].block.is_some() && (2..=LONGEST_BLOCK).contains(&block.len()) {
                let cost = block.iter().map(|line| line.cost).sum();
                self.blocks.push(Block { start, end, cost });
            }
            start = end;
        }
    }

    /// Part of what the lines of a definition are worth counts for the definition as a whole: it stays or goes together.
    pub(super) fn share_in_blocks(&self, part: usize, share: f64, lines: &[Line], gains: &mut [Gain]) {
        for block in &self.blocks[self.parts[part]..self.parts[part + 1]] {
            let (lines, gains) = (&lines[block.start..block.end], &mut gains[block.start..block.end]);
            let worth: f64 = gains.iter().map(|gain| gain.alone).sum();
            for (gain, line) in gains.iter_mut().zip(lines) {
                gain.alone = (1.0 - share) * gain.alone + share * worth * line.cost / block.cost.max(1.0);
            }
        }
    }
}

/// In place of a part.
const NOWHERE: u32 = u32::MAX;
const EVERYWHERE: u32 = u32::MAX - 1;
