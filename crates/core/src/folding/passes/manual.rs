//! What a pass says about itself, taken from its own file so that it is written once.

use super::Entry;

impl Entry {
    /// What it does, in a sentence.
    pub fn about(&self) -> String {
        let manual = self.manual();
        let lines = manual.lines().take_while(|line| !line.trim().is_empty());
        lines.collect::<Vec<_>>().join(" ")
    }

    /// What an option means: the documentation of its field.
    pub fn meaning(&self, option: &str) -> Option<String> {
        let field = format!("pub {option}:");
        let lines: Vec<&str> = self.source.lines().map(str::trim).collect();
        let at = lines.iter().position(|line| line.starts_with(&field))?;
        let is_about = |line: &&&str| line.starts_with("///") || line.starts_with("#[");
        let before = lines[..at].iter().rev().take_while(is_about);
        let mut said: Vec<&str> = before.filter_map(|line| line.strip_prefix("///")).map(str::trim).collect();
        said.reverse();
        Some(said.join(" ")).filter(|said| !said.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use crate::folding::passes::PASSES;

    #[test]
    fn every_pass_says_what_it_does_and_what_its_options_mean() {
        for entry in PASSES {
            assert!(entry.about().ends_with('.'), "{}: {}", entry.name, entry.about());
            for (option, _) in entry.options() {
                assert!(entry.meaning(&option).is_some(), "{}: {option}", entry.name);
            }
        }
    }
}
