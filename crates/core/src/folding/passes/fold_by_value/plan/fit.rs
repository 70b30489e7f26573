//! Fitting one text into so many tokens, apart from all others.

use std::collections::BTreeMap;

use super::{Gap, Planner, STEPS, price_at};
use crate::folding::passes::fold_by_value::analysis::Line;
use crate::folding::passes::fold_by_value::worth::Id;

/// Lines of a text up to which a name says which of them was asked for.
const FEW: usize = 3;

impl Planner<'_> {
    /// Which lines of a part are kept where it may take so many tokens: those at the lowest price at which it fits. What is left
    /// over goes to its beginning and its end: lines that are worth nothing by their names may be what was asked for. Names that
    /// were `asked` for count more where they stand in few lines.
    pub(in super::super) fn fit(&mut self, part: usize, tokens: f64, asked: &[Id]) -> Vec<bool> {
        let analysis = self.analysis;
        let range = analysis.parts[part].lines.clone();
        let group = analysis.groups.iter().find(|group| group.parts.contains(&part));
        let likeness = group.map_or(1.0, |group| group.likeness);
        self.start_round();
        self.look += 1;
        self.find_gains(part, likeness);
        self.raise_asked(part, asked);
        let (mut low, mut high) = (0, STEPS);
        let mut best = vec![false; range.len()];
        let mut keep = best.clone();
        let mut left = tokens;
        let lines = &analysis.lines[range.clone()];
        while high - low > 1 {
            let at = (low + high) / 2;
            let chosen = self.chooser.choose(lines, &self.gains, price_at(at), Gap::IN_PLACE, &mut keep);
            if chosen.tokens <= tokens {
                high = at;
                left = tokens - chosen.tokens;
                best.copy_from_slice(&keep);
            } else {
                low = at;
            }
        }
        spend(lines.iter().zip(&mut best), left / 2.0);
        spend(lines.iter().zip(&mut best).rev(), left / 2.0);
        best
    }

    fn raise_asked(&mut self, part: usize, asked: &[Id]) {
        let analysis = self.analysis;
        let lines = &analysis.lines[analysis.parts[part].lines.clone()];
        let mut found: BTreeMap<Id, Vec<usize>> = asked.iter().map(|name| (*name, Vec::new())).collect();
        for (nth, line) in lines.iter().enumerate() {
            for name in &analysis.line_names[line.names()] {
                if let Some(nths) = found.get_mut(name).filter(|nths| nths.last() != Some(&nth)) {
                    nths.push(nth);
                }
            }
        }
        for nth in found.into_values().filter(|nths| nths.len() <= FEW).flatten() {
            self.gains[nth].alone *= analysis.weights.asked;
        }
    }
}

/// Keeps the first lines that are not kept yet, for so many tokens.
fn spend<'l>(lines: impl Iterator<Item = (&'l Line, &'l mut bool)>, mut left: f64) {
    for (line, keep) in lines.filter(|(_, keep)| !**keep) {
        left -= line.cost;
        if left < 0.0 {
            return;
        }
        *keep = true;
    }
}
