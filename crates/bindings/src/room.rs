//! How much room options leave for a view.

use enfold::count::budget::{Budget, BudgetSpec};
use enfold::count::models::UNKNOWN_CONTEXT;
use enfold::folding::policy::{Policy, Room};
use serde_json::Value;

use crate::options::bad;
use crate::{Error, Options};

/// How much room there is for one fold.
pub(crate) struct RoomOnce {
    /// What the view may take.
    pub(crate) limit: usize,
    /// From where on it is made smaller although it fits.
    pub(crate) starts: Option<usize>,
    /// What is aimed at then.
    pub(crate) target: usize,
    /// The whole window.
    pub(crate) window: usize,
}

impl Options {
    /// Tokens that a running session may take under a policy, and the whole window.
    pub(crate) fn room(&self, policy: &Policy) -> Result<Room, Error> {
        let (asked, model) = (self.budget()?, self.model());
        self.must_know_room(asked)?;
        let Room { limit, window } = match (asked, &model, self.window) {
            (Some(BudgetSpec::Tokens(_)), _, _) | (_, Some(_), _) | (_, _, None) => {
                policy.room(model.as_ref(), asked)?
            }
            (asked, None, Some(window)) => {
                let usable = self.numbers(policy)?.usable;
                Room { limit: asked.map_or(usable, |asked| asked.tokens(usable)), window }
            }
        };
        // A threshold in tokens is where a session ends, as its share of a window is.
        let limit = policy.budget.threshold_at_most.map_or(limit, |most| limit.min(most));
        // A session that is kept small is still one of its model's window.
        Ok(Room { limit, window: self.window.or(model.map(|model| model.context)).unwrap_or(window) })
    }

    /// How much room there is for one fold, and from where on: as the command has it.
    pub(crate) fn room_once(&self, policy: &Policy) -> Result<RoomOnce, Error> {
        let asked = self.budget()?;
        self.must_know_room(asked)?;
        // What is set as the target is one of any budget; and a summary needs room between the target and the budget.
        let aims = self.settings.target.is_some() || self.settings.summarize_dropped == Some(true);
        let target = |limit: usize| if aims { policy.budget.target.of(limit) } else { limit };
        if let Some(BudgetSpec::Tokens(tokens)) = asked {
            let window = self.window.unwrap_or(tokens);
            return Ok(RoomOnce { limit: tokens, starts: None, target: target(tokens), window });
        }
        let of = self.numbers(policy)?;
        Ok(match asked.map(|share| share.tokens(of.usable)) {
            Some(limit) => RoomOnce { limit, starts: None, target: target(limit), window: of.context },
            None => RoomOnce {
                limit: of.threshold,
                starts: Some(of.threshold),
                target: of.target,
                window: of.context,
            },
        })
    }

    /// The numbers of the model's window, or of the one that was said, or of the one that is assumed of a model nobody knows.
    pub(crate) fn numbers(&self, policy: &Policy) -> Result<Budget, Error> {
        let rules = policy.budget.clone();
        Ok(match self.model() {
            Some(model) => Budget::of(&model, rules)?,
            None => {
                let output = rules.output_reserve.tokens(None);
                Budget::of_window(self.window.unwrap_or(UNKNOWN_CONTEXT), None, output, rules)?
            }
        })
    }

    fn must_know_room(&self, asked: Option<BudgetSpec>) -> Result<(), Error> {
        match asked {
            _ if self.model.is_some() || self.window.is_some() => Ok(()),
            None => {
                Err(bad("neither a budget nor a model is given: say budget=\"16k\", or the model it is for"))
            }
            Some(BudgetSpec::OfWindow(_)) => {
                Err(bad("the budget is a share of a model's window, and no model is given: say which"))
            }
            Some(BudgetSpec::Tokens(_)) => Ok(()),
        }
    }

    fn budget(&self) -> Result<Option<BudgetSpec>, Error> {
        let written = match &self.budget {
            None | Some(Value::Null) => return Ok(None),
            Some(Value::String(text)) => text.clone(),
            Some(number @ Value::Number(_)) => number.to_string(),
            Some(other) => return Err(bad(format!("budget: `{other}` is no number of tokens and no share"))),
        };
        Ok(Some(written.parse::<BudgetSpec>()?))
    }
}
