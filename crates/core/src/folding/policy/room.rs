//! How much room a view has under a policy.

use super::Policy;
use crate::count::budget::{Budget, BudgetError, BudgetSpec};
use crate::count::models::{Model, UNKNOWN_CONTEXT};

/// Tokens that there are for a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// What a view may take, with what stands around its messages.
    pub limit: usize,
    /// The whole window, which some passes measure by.
    pub window: usize,
}

impl Policy {
    /// The room for a model: the tokens that somebody asked for, which are a window by themselves, or a share of what the
    /// policy's reserves leave of the model's window, or all of that. Without a model the window is the one that is assumed
    /// of a model nobody knows.
    pub fn room(&self, model: Option<&Model>, asked: Option<BudgetSpec>) -> Result<Room, BudgetError> {
        if let Some(BudgetSpec::Tokens(tokens)) = asked {
            return Ok(Room { limit: tokens, window: tokens });
        }
        let budget = match model {
            Some(model) => Budget::of(model, self.budget.clone())?,
            None => {
                let output = self.budget.output_reserve.tokens(None);
                Budget::of_window(UNKNOWN_CONTEXT, None, output, self.budget.clone())?
            }
        };
        let limit = asked.map_or(budget.usable, |asked| asked.tokens(budget.usable));
        Ok(Room { limit, window: budget.context })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::count::models::Table;

    #[test]
    fn what_a_policy_reserves_is_not_for_views() {
        let policy =
            |budget: &str| Policy::parse(&format!("name = \"mine\"\nabout = \"\"\n{budget}")).unwrap();
        let reserving = policy("[budget]\nsystem_reserve = 0\nsafety = 0\noutput_reserve = 28000\n");
        let gpt = Table::shipped().resolve("gpt-4o").model;
        let room = |policy: &Policy, model: Option<&Model>, asked: &str| {
            let room = policy.room(model, asked.parse().ok()).unwrap();
            (room.limit, room.window)
        };
        assert_eq!(room(&policy(""), Some(&gpt), ""), (116_904, 128_000));
        assert_eq!(room(&reserving, Some(&gpt), ""), (100_000, 128_000));
        assert_eq!(room(&reserving, Some(&gpt), "50%"), (50_000, 128_000));
        assert_eq!(room(&reserving, Some(&gpt), "16k"), (16_000, 16_000));
        assert_eq!(room(&reserving, None, ""), (100_000, 128_000));
        let most = policy("[budget]\nsystem_reserve = 0\nsafety = 0\noutput_reserve = \"model\"\n");
        assert_eq!(room(&most, Some(&gpt), ""), (128_000 - 16_384, 128_000));
    }
}
