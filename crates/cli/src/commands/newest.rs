//! `enfold` alone: the newest sessions of the agents on this machine, and what to do with them.

use std::time::{Duration, UNIX_EPOCH};

use enfold::count::models::Table;

use crate::failure::Failure;
use crate::found::{self, Cost, Found, Glance, Glances};
use crate::report::{self, Stream, Tone, number, size};
use crate::{moment, output};

/// Sessions that are shown.
const SHOWN: usize = 12;

const NEXT: &str = "
  enfold inspect --last                        where the tokens and the money of the newest went
  enfold explain --last --html session.html    what folding would leave of it: a page to look at and to share
  --last=3 takes the third of this list, FILE any other session; `enfold --help` has all commands
";

/// Lists them.
pub fn run() -> Result<(), Failure> {
    let sessions = found::sessions();
    if sessions.is_empty() {
        return Err(Failure::new("sessions", "no agent has left one on this machine", found::nowhere()));
    }
    let mut glances = Glances::new(Table::shipped().clone());
    let now = moment::now();
    let mut text = report::heading(Stream::Stdout, "The newest sessions on this machine");
    let mut unread = false;
    for (nth, found) in sessions.iter().take(SHOWN).enumerate() {
        let glance = glances.at(found);
        unread |= glance.cost == Cost::NotRead;
        text += &row(nth + 1, found, &glance, now);
    }
    if sessions.len() > SHOWN {
        text += &format!("     and {} older ones\n", number((sessions.len() - SHOWN) as u64));
    }
    if unread {
        text += "\n$ ?: too large to be read for a list; `enfold inspect` tells what it cost\n";
    }
    output::print(&(text + NEXT))
}

/// The task on one line, everything else under it.
fn row(number: usize, found: &Found, glance: &Glance, now: Duration) -> String {
    let room = report::width(Stream::Stdout) as usize - 6;
    let task = glance.task.as_deref().unwrap_or("(nothing asked yet, or not to be seen at the beginning)");
    let task = report::shortened(&report::clean(task), room);
    let changed = found.changed.duration_since(UNIX_EPOCH).unwrap_or_default();
    let mut facts = vec![found.agent.to_string()];
    facts.extend(glance.project.clone());
    facts.extend([moment::ago(now, changed), size(glance.size)]);
    facts.extend(match glance.cost {
        Cost::Dollars(dollars) => Some(report::dollars(dollars)),
        Cost::NotRead => Some("$ ?".to_string()),
        Cost::Unknown => None,
    });
    let facts = report::shortened(&report::clean(&facts.join(" · ")), room);
    let facts = report::toned(Stream::Stdout, Tone::Quiet, &facts);
    format!(
        "{}  {task}\n     {facts}\n",
        report::toned(Stream::Stdout, Tone::Strong, &format!("{number:>3}"))
    )
}
