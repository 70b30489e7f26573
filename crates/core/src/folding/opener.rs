//! How an agent can open what is left out of its view.

/// The way that this agent has. A view names it once, and never one that the agent does not have: a model that is told of a
/// tool calls it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Opener {
    /// None that is known: numbers stand in the view, and whoever runs the agent knows what they open.
    #[default]
    Unknown,
    /// A tool, by the name under which the model is offered it.
    Tool(String),
    /// A command for its shell, in front of the number.
    Command(String),
}

impl Opener {
    /// What the view says about the numbers in it. A fact: models take orders in such a place for an attack.
    pub(crate) fn legend(&self) -> String {
        match self {
            Opener::Unknown => {
                "#…: the number of the original; what is read or run again is shown again.".to_string()
            }
            Opener::Tool(name) => format!("#…: the number of the original, which the tool {name} shows."),
            Opener::Command(command) => {
                format!("#…: the number of the original, which the command `{command} NUMBER` prints.")
            }
        }
    }
}

/// For a context that is asked nothing about it.
pub(crate) static NO_OPENER: Opener = Opener::Unknown;
