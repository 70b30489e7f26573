//! A set of options that is tried.

use enfold::folding::policy::{Policy, PolicyError};
use serde::Serialize;

/// Options of `balanced`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Candidate {
    /// Percent of the limit that an epoch folds to.
    pub target: u32,
    /// Requests that an epoch is to last.
    pub lasts: u32,
    /// Tokens of a new result, a new file, new lines that were asked for by number.
    pub max_tokens: usize,
    pub max_file: usize,
    pub max_range: usize,
    /// Percent of the limit up to which what is new stays whole.
    pub above: u32,
}

/// As `balanced` ships.
pub const SHIPPED: Candidate =
    Candidate { target: 50, lasts: 20, max_tokens: 600, max_file: 2_200, max_range: 1_200, above: 15 };

const TARGETS: [u32; 8] = [35, 40, 45, 50, 55, 60, 65, 70];
const LASTS: [u32; 4] = [0, 10, 20, 30];
const TOKENS: [usize; 7] = [300, 500, 750, 1_000, 1_500, 2_000, 4_000];
/// How much more a file may take, and lines asked for by number, in percent.
const MORE: [usize; 4] = [100, 150, 200, 400];
const ABOVE: [u32; 4] = [0, 15, 25, 50];

impl Candidate {
    /// One by chance.
    pub fn draw(chance: &mut fastrand::Rng) -> Candidate {
        let max_tokens = TOKENS[chance.usize(..TOKENS.len())];
        let max_file = max_tokens * MORE[chance.usize(..MORE.len())] / 100;
        let max_range = max_file.min(max_tokens * MORE[chance.usize(..MORE.len())] / 100);
        Candidate {
            target: TARGETS[chance.usize(..TARGETS.len())],
            lasts: LASTS[chance.usize(..LASTS.len())],
            max_tokens,
            max_file,
            max_range,
            above: ABOVE[chance.usize(..ABOVE.len())],
        }
    }

    /// As a policy of this name.
    pub fn policy(&self, name: &str) -> Result<Policy, PolicyError> {
        Policy::parse(&self.toml(name))
    }

    /// As a policy file.
    pub fn toml(&self, name: &str) -> String {
        let Candidate { target, lasts, max_tokens, max_file, max_range, above } = self;
        let about = match *self == SHIPPED {
            true => "`balanced` with the options it ships with.",
            false => "`balanced` with options that suit these sessions.",
        };
        format!(
            "name = \"{name}\"\nabout = \"{about}\"\n\n\
             [epoch]\ntarget = {}\nlasts = {lasts}\n\n\
             [[pass]]\nuse = \"cap_results\"\nwhen = \"arrival\"\n\
             why = \"first: no result may be larger than a window, whatever the budget\"\n\n\
             [[pass]]\nuse = \"dedup_reads\"\nwhen = \"arrival\"\nonly_new = true\nmin_lines = 6\n\
             why = \"before results are shrunk: lines of a file that stand in the view already are not sent again\"\n\n\
             [[pass]]\nuse = \"digest_new\"\nwhen = \"arrival\"\nmax_tokens = {max_tokens}\nmax_file = {max_file}\n\
             max_range = {max_range}\nabove = {}\nwhy = \"before it is first sent, shrinking costs no cache\"\n\n\
             [[pass]]\nuse = \"drop_reasoning\"\nwhy = \"before choosing lines: thinking of finished work costs much\"\n\n\
             [[pass]]\nuse = \"fold_by_value\"\nwhy = \"does most of the folding\"\n",
            f64::from(*target) / 100.0,
            f64::from(*above) / 100.0,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_options_are_those_of_balanced() {
        let (ours, shipped) = (SHIPPED.policy("balanced").unwrap(), Policy::named("balanced").unwrap());
        assert_eq!(ours.epoch, shipped.epoch);
        let passes = |policy: &Policy| {
            policy.passes.iter().map(|step| step.pass.name().to_string()).collect::<Vec<_>>()
        };
        assert_eq!(passes(&ours), passes(&shipped));
        let digest = enfold::folding::passes::DigestNew::default();
        assert_eq!(
            (SHIPPED.max_tokens, SHIPPED.max_file, SHIPPED.max_range),
            (digest.max_tokens, digest.max_file, digest.max_range)
        );
        assert_eq!(f64::from(SHIPPED.above) / 100.0, digest.above);
    }

    #[test]
    fn whatever_is_drawn_is_a_policy_and_one_seed_draws_the_same() {
        let draw = |seed| {
            let mut chance = fastrand::Rng::with_seed(seed);
            (0..200).map(|_| Candidate::draw(&mut chance)).collect::<Vec<_>>()
        };
        assert!(draw(7).iter().all(|candidate| candidate.policy("tuned").is_ok()));
        assert_eq!(draw(7), draw(7));
        assert_ne!(draw(7), draw(8));
    }
}
