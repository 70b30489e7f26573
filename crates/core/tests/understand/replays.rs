//! What the replay expects of files, compared with what the agents then read.

use std::collections::BTreeMap;

use enfold::understand::files::FileTracker;
use enfold::understand::vocabulary::Vocabulary;

use crate::support;

/// Just under what was measured.
const FLOOR: f64 = 0.99;

#[test]
fn what_the_history_determines_is_what_the_agent_reads_later() {
    let Some(sessions) = support::sessions() else { return };
    let started = std::time::Instant::now();
    let mut by_agent: BTreeMap<String, Counts> = BTreeMap::new();
    let verbose = std::env::var_os("ENFOLD_VERBOSE").is_some();
    for (name, history) in &sessions {
        let agent = name.split("__").next().unwrap().to_string();
        let counts = by_agent.entry(agent).or_default();
        for comparison in FileTracker::new(Vocabulary::new()).update_and_compare(history) {
            counts.reads += 1;
            counts.lines += comparison.shown;
            counts.determined_lines += comparison.determined;
            counts.equal_lines += comparison.equal;
            if comparison.determined + comparison.doubtful == comparison.shown && comparison.doubtful > 0 {
                counts.doubtful += 1;
                let equal = comparison.equal + comparison.doubtful_equal;
                counts.doubtful_equal += usize::from(equal == comparison.shown);
            }
            if comparison.determined == comparison.shown && comparison.shown > 0 {
                counts.determined += 1;
                counts.equal += usize::from(comparison.equal == comparison.shown);
            }
            if let (true, Some((line, expected, shown))) = (verbose, &comparison.first_difference) {
                eprintln!(
                    "{name} step {} {}:{line} ({} of {} equal)\n  expected {expected:?}\n  shown    {shown:?}",
                    comparison.step, comparison.path, comparison.equal, comparison.determined
                );
            }
        }
    }
    let mut all = Counts::default();
    for (agent, counts) in &by_agent {
        counts.print(agent);
        all.add(counts);
    }
    all.print("all");
    let bytes: usize =
        sessions.iter().flat_map(|(_, history)| history.messages()).map(|message| message.raw.len()).sum();
    eprintln!("{} MB tracked and replayed in {:?}", bytes >> 20, started.elapsed());
    let share = all.equal as f64 / all.determined as f64;
    assert!(all.determined > 100 && share >= FLOOR, "{share}");
}

#[derive(Default)]
struct Counts {
    reads: usize,
    determined: usize,
    equal: usize,
    lines: usize,
    determined_lines: usize,
    equal_lines: usize,
    doubtful: usize,
    doubtful_equal: usize,
}

impl Counts {
    fn add(&mut self, other: &Counts) {
        self.reads += other.reads;
        self.determined += other.determined;
        self.equal += other.equal;
        self.lines += other.lines;
        self.determined_lines += other.determined_lines;
        self.equal_lines += other.equal_lines;
        self.doubtful += other.doubtful;
        self.doubtful_equal += other.doubtful_equal;
    }

    fn print(&self, agent: &str) {
        let share = |part: usize, of: usize| 100.0 * part as f64 / of.max(1) as f64;
        eprintln!(
            "{agent:14} {:5} reads, {:4} determined, of these equal {:5.1} %; {:4} known but doubtful, equal {:5.1} %; lines: {:5.1} % determined, equal {:6.2} %",
            self.reads,
            self.determined,
            share(self.equal, self.determined),
            self.doubtful,
            share(self.doubtful_equal, self.doubtful),
            share(self.determined_lines, self.lines),
            share(self.equal_lines, self.determined_lines),
        );
    }
}
