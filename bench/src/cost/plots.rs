//! Plots beside the results.

use enfold::folding::policy::Policy;
use enfold_replay::{Setting, Way, replay};

use super::relative;
use super::sessions::{Corpus, WayOutcomes};
use super::tables::sum;
use crate::Failure;
use crate::plot::{Dot, Line, Plot};

/// Of a hundred requests, the most for which a way may have had no view: what these showed is not in its recall.
const MOST_OVER: usize = 2;

/// Cost with look-ups to the right, recall upwards.
pub(super) fn cost_against_recall(ways: &[WayOutcomes]) -> Result<(), Failure> {
    let dots = ways.iter().filter_map(|way| {
        let figures = sum(&way.outcomes);
        let recall =
            figures.recall.mean().filter(|_| 100 * figures.failed <= MOST_OVER * figures.requests)?;
        Some(Dot { x: relative(&way.outcomes).1, y: recall, name: way.way.clone() })
    });
    let plot = Plot {
        title: "What a session costs, and what stands in the view of what is used next (window 32k)",
        across: "cost with look-ups, against sending everything",
        up: "recall",
        dots: dots.collect(),
        ..Plot::default()
    };
    plot.write("cost-recall.svg")
}

/// Tokens of each request of the session with most requests.
pub(super) fn context_size(corpus: &Corpus, setting: &Setting) -> Result<(), Failure> {
    let longest = corpus.sessions.iter().max_by_key(|session| session.requests().len());
    let Some(session) = longest else { return Ok(()) };
    let setting = Setting { keeps_curve: true, judges: false, ..setting.clone() };
    let ways = [Way::Everything, Way::compaction()?, Way::policy(Policy::named("balanced")?)];
    let lines = ways.iter().map(|way| {
        let curve = replay(session, way, &setting, |_| {}).curve;
        let points =
            curve.iter().enumerate().map(|(nth, point)| (nth as f64 + 1.0, point.tokens as f64 / 1e3));
        Line { name: way.name().to_string(), points: points.collect() }
    });
    let plot = Plot {
        title: "Tokens of each request of the longest session (window 32k)",
        across: "request",
        up: "thousand tokens",
        lines: lines.collect(),
        // Everything at once would press the others flat.
        highest: Some(2.5 * setting.limit as f64 / 1e3),
        ..Plot::default()
    };
    plot.write("context-size.svg")
}
