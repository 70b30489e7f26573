//! The next request of a stored session after one more message: in a process that has to read it first, and in one that
//! has it open.

mod cold;
mod parts;
mod warm;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use enfold::folding::policy::Policy;
use enfold::wire::OpenAiChat;
use enfold_coordinator::{Config, Coordinator};
use enfold_store::{Durability, Options, Sessions, Sqlite};
use serde_json::{Value, json};

use crate::long_session::Material;
use crate::{Failure, report};

pub(crate) use cold::in_this_process;

const ID: &str = "long";
/// The session of the cold process.
const LENGTH: usize = 200_000;
const LENGTHS: [usize; 4] = [50_000, 100_000, LENGTH, 400_000];

/// How far sessions are folded: to a limit that is reached again and again, and to one that never is.
const LIMITS: [(&str, usize); 2] = [("folded to 32,000 tokens", 32_000), ("never folded", 10_000_000)];

/// The whole measurement.
pub(crate) fn run() -> Result<(), Failure> {
    let scratch = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/bench/prepare");
    let _ = fs::remove_dir_all(&scratch);
    fs::create_dir_all(&scratch)?;
    let mut body = String::from(
        "A session is stored as an agent stores it: each message pushed, a request prepared whenever the model has the word, \
         policy `balanced`, nobody to ask for summaries. Then one more message, in real time: each append waits for the disk. \
         Read the ratios: other work on the machine moves the figures, by a factor of two and more where it is heavy.\n\n",
    );
    for material in Material::all()? {
        body += &format!("Sessions are {}.\n\n", material.name);
        for (name, limit) in LIMITS {
            let stored = Stored::all(&material, limit, &scratch)?;
            body += &cold::table(name, limit, &stored[2])?;
            body += &warm::table(name, limit, &stored)?;
        }
    }
    report::write("Prepare", &body)
}

/// A session in a database of its own.
struct Stored {
    path: PathBuf,
    tokens: usize,
    /// Size of its messages.
    originals: usize,
    messages: usize,
    epochs: u32,
}

impl Stored {
    /// One session, at each of the lengths.
    fn all(material: &Material, limit: usize, scratch: &Path) -> Result<Vec<Stored>, Failure> {
        let growing = scratch.join("growing.db");
        let _ = fs::remove_file(&growing);
        let (mut done, mut all) = (0, Vec::new());
        for length in LENGTHS {
            let session = material.session(length)?;
            let options = Options { durability: Durability::Relaxed, ..Options::default() };
            let mut open =
                Coordinator::open(Arc::new(Sqlite::open_with(&growing, options)?), ID, config(limit)?)?;
            for line in session.lines().skip(done) {
                open.push(line.to_string())?;
                if serde_json::from_str::<Value>(line)?["role"] != "assistant" {
                    open.prepare()?;
                }
            }
            done = session.lines().count();
            let (tokens, epochs) = (open.session().tally().total(), open.session().epoch());
            drop(open);
            let path = scratch.join(format!("{length}.db"));
            fs::copy(&growing, &path)?;
            let originals = session.lines().map(str::len).sum();
            all.push(Stored { path, tokens, originals, messages: done, epochs });
        }
        Ok(all)
    }

    /// A copy that may be written to.
    fn copy(&self) -> Result<PathBuf, Failure> {
        let path = self.path.with_extension("copy.db");
        let _ = fs::remove_file(path.with_extension("db-wal"));
        let _ = fs::remove_file(path.with_extension("db-shm"));
        fs::copy(&self.path, &path)?;
        // It counts as just used: else the provider would have forgotten it, which is another measurement.
        let store = Sqlite::open(&path)?;
        store.append(ID, &enfold_store::Entry::default(), (config(0)?.clock)())?;
        Ok(path)
    }

    fn size(&self) -> Result<u64, Failure> {
        Ok(fs::metadata(&self.path)?.len())
    }
}

fn config(limit: usize) -> Result<Config, Failure> {
    Ok(Config::new(&OpenAiChat, Policy::named("balanced")?, limit))
}

/// Calls and their results in turn, some 250 tokens each.
fn message(nth: usize) -> String {
    let id = format!("one_more_{}", nth / 2);
    if nth.is_multiple_of(2) {
        let arguments = json!({ "path": format!("src/part_{nth}.rs") }).to_string();
        let function = json!({ "name": "read_file", "arguments": arguments });
        let calls = json!([{ "id": id, "type": "function", "function": function }]);
        return json!({ "role": "assistant", "content": "I read the next part.", "tool_calls": calls })
            .to_string();
    }
    let lines: Vec<String> =
        (0..18).map(|line| format!("    let value_{line} = part_{nth}({line});")).collect();
    json!({ "role": "tool", "tool_call_id": id, "content": lines.join("\n") }).to_string()
}

fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
}
