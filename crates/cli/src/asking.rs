//! Folding with a model that can be asked for the summary. Whatever goes wrong there, a view comes of it: the ledger
//! speaks alone, and a note says why.

use std::sync::Arc;

use enfold::folding::policy::Policy;
use enfold::folding::runner::{CannotFit, Run};
use enfold::summary::{ASKS, Asked, SMALLER, Summaries, Template, asked_again, check};
use enfold_llm::{Ask, Blocking, CancellationToken, Client, Endpoint, Error, Options};

use crate::args::{AskingArgs, FoldArgs, SummarizerArg};
use crate::commands::templates;
use crate::counting;
use crate::failure::Failure;
use crate::folding::Folding;
use crate::output;
use crate::policies::value;
use crate::progress::Progress;
use crate::report;

/// A view, or what cannot fit.
type Folded<'f> = Result<Run<'f>, Box<CannotFit>>;

/// Folds; asks for the summary if one is wanted and somebody can be asked.
pub fn run<'f>(folding: &'f Folding, args: &FoldArgs) -> Result<Folded<'f>, Failure> {
    let Some(summarizer) = &args.asking.summarizer else { return Ok(folding.run()) };
    let templates = own_template(&args.asking, &folding.policy)?;
    let window = counting::table(&args.folding.counting.models)?.resolve(&summarizer.model).model.context;
    let known = Summaries { asks: true, ..folding.known().clone() };
    let alone = match folding.run_telling(&known, &templates) {
        Ok(run) => run,
        Err(cannot) => return Ok(Err(cannot)),
    };
    let Some(asked) = &alone.asked else {
        let name = report::clean(&folding.policy.name);
        output::note(&format!(
            "note: no model was asked: policy `{name}` makes no summary of this session\n"
        ));
        return Ok(Ok(alone));
    };
    match narrative(folding, &args.asking, summarizer, asked, window) {
        Ok(narrative) => {
            let ready = Some(asked.answered(narrative));
            let known = Summaries { ready, ..folding.known().clone() };
            Ok(folding.run_telling(&known, &templates))
        }
        Err(why) => {
            let why = report::clean(&why).into_owned();
            output::note(&format!("note: the summary is the ledger alone, no model's: {why}\n"));
            Ok(Ok(alone))
        }
    }
}

/// The user's template under the name that the policy asks for.
fn own_template(args: &AskingArgs, policy: &Policy) -> Result<Vec<Arc<Template>>, Failure> {
    let Some(path) = &args.template else { return Ok(Vec::new()) };
    let mut template = templates::load(path)?;
    let summarize = policy.passes.iter().find(|step| step.pass.name() == "summarize");
    let named = summarize.and_then(|step| Some(value(step.options.get("template")?).as_str()?.to_string()));
    template.name = named.unwrap_or_else(|| "coding".into());
    Ok(vec![Arc::new(template)])
}

/// What a model tells; else why not, and what to do.
fn narrative(
    folding: &Folding,
    args: &AskingArgs,
    summarizer: &SummarizerArg,
    asked: &Asked,
    window: usize,
) -> Result<String, String> {
    let counter = folding.counted.tally.counter();
    let failed = |error: Error| format!("{error}; {}", error.remedy());
    let endpoint = Endpoint::from_env(summarizer.api, args.summarizer_url.as_deref()).map_err(failed)?;
    let waiting = format!("asking {} at {} for a summary", summarizer.model, endpoint.place());
    let client = Client::new(endpoint, Options::default()).and_then(Blocking::new).map_err(failed)?;
    let _progress = Progress::spinner(&report::clean(&waiting));
    let mut fault = String::new();
    // What the question took when the server first found it too long, and the sizes that are left to try.
    let (mut window, mut refused, mut smaller) = (window, None, SMALLER.iter());
    let mut answers = 0;
    while answers < ASKS {
        let again = counter.count(&fault);
        let room = window.saturating_sub(again);
        let transcript = asked.question.transcript(&folding.document.history, counter, room);
        let mut transcript =
            transcript.ok_or("the question does not fit its window; choose a larger model")?;
        transcript.user += &fault;
        let tokens = transcript.tokens + again;
        let ask = Ask::of_transcript(summarizer.api, &summarizer.model, transcript);
        let answer = match client.ask(&ask, &CancellationToken::new()) {
            Ok(answer) => answer,
            Err(error @ Error::Overflow(_)) => {
                let percent = smaller.next().ok_or_else(|| failed(error))?;
                window = *refused.get_or_insert(tokens) * percent / 100;
                continue;
            }
            Err(error) => return Err(failed(error)),
        };
        answers += 1;
        match check(&asked.question, asked.replaces, &answer.text, &answer.finish, counter) {
            Ok(narrative) => return Ok(narrative),
            Err(rejected) => fault = asked_again(rejected),
        }
    }
    let fault = fault.trim().trim_end_matches('.');
    Err(format!("{} gave {ASKS} answers. {fault}; try another model", summarizer.model))
}
