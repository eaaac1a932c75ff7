//! The tools a model is offered, and what must be true of a call before one of them plans it.

use std::sync::Arc;

use jsonschema::error::ValidationErrorKind;
use jsonschema::{ValidationError, Validator};
use serde_json::Value;

use super::edit_file::EditFile;
use super::glob::Glob;
use super::grep::Grep;
use super::list_dir::ListDir;
use super::read_file::ReadFile;
use super::reading::Reading;
use super::write_file::WriteFile;
use super::writing::Writing;
use super::{Refusal, Shell, Tool};
use crate::kernel::model::ToolDeclaration;

/// The most mistakes named for one call.
const ERROR_LIMIT: usize = 5;

/// The most characters of one of them, or of a name the model made up.
const SHOWN_LIMIT: usize = 200;

/// The tools a model is offered, by name.
pub struct Toolbox {
    tools: Vec<Entry>,
    declarations: Arc<[ToolDeclaration]>,
}

struct Entry {
    tool: Arc<dyn Tool>,
    /// Checks arguments; the reason when the tool's schema is none.
    schema: Result<Validator, String>,
}

impl Toolbox {
    /// The built-in tools: `read_file`, `list_dir`, `glob`, `grep`, `write_file`, `edit_file`, `shell`.
    pub fn standard() -> Self {
        Self::of(vec![
            Arc::new(Reading::<ReadFile>::new()),
            Arc::new(Reading::<ListDir>::new()),
            Arc::new(Reading::<Glob>::new()),
            Arc::new(Reading::<Grep>::new()),
            Arc::new(Writing::<WriteFile>::new()),
            Arc::new(Writing::<EditFile>::new()),
            Arc::new(Shell::new()),
        ])
    }

    /// These tools.
    pub fn of(tools: Vec<Arc<dyn Tool>>) -> Self {
        let declarations = tools
            .iter()
            .map(|tool| tool.declaration().clone())
            .collect();
        let tools = tools.into_iter().map(|tool| Entry {
            schema: jsonschema::validator_for(&tool.declaration().parameters)
                .map_err(|error| error.to_string()),
            tool,
        });
        Self {
            tools: tools.collect(),
            declarations,
        }
    }

    /// How the model is told about them.
    pub fn declarations(&self) -> Arc<[ToolDeclaration]> {
        Arc::clone(&self.declarations)
    }

    /// The tool a call names, and its arguments when they are JSON that fits the tool's schema.
    ///
    /// # Errors
    /// [`Refusal`] with what the model should read: the tool or field that is wrong, and why.
    pub fn admit(&self, name: &str, arguments: &str) -> Result<(Arc<dyn Tool>, Value), Refusal> {
        let found = self
            .tools
            .iter()
            .find(|entry| entry.tool.declaration().name == name);
        let entry = found.ok_or_else(|| self.unknown(name))?;
        let declaration = entry.tool.declaration();
        let args = parse(declaration, arguments)?;
        let schema = entry.schema.as_ref().map_err(|error| Refusal {
            message: format!("{name} cannot be called: its schema is wrong: {error}"),
        })?;
        let mistakes: Vec<String> = schema
            .iter_errors(&args)
            .take(ERROR_LIMIT)
            .map(|error| mistake(&error))
            .collect();
        if !mistakes.is_empty() {
            return Err(refused(declaration, &mistakes.join("; ")));
        }
        Ok((Arc::clone(&entry.tool), args))
    }

    fn unknown(&self, name: &str) -> Refusal {
        let known: Vec<&str> = self
            .declarations
            .iter()
            .map(|declaration| declaration.name.as_str())
            .collect();
        Refusal {
            message: format!(
                "there is no tool {:?}; there are: {}",
                cut(name),
                known.join(", ")
            ),
        }
    }
}

/// Arguments as JSON. Some providers send no text at all for no arguments.
fn parse(declaration: &ToolDeclaration, arguments: &str) -> Result<Value, Refusal> {
    if arguments.trim().is_empty() {
        return Ok(Value::Object(serde_json::Map::new()));
    }
    serde_json::from_str(arguments)
        .map_err(|error| refused(declaration, &format!("they are not JSON: {error}")))
}

fn refused(declaration: &ToolDeclaration, why: &str) -> Refusal {
    Refusal {
        message: format!(
            "the arguments of {} were refused, nothing was done: {why}. It takes {}",
            declaration.name,
            fields(&declaration.parameters)
        ),
    }
}

/// One thing that is wrong, with its field. The value is not repeated: it may be large.
fn mistake(error: &ValidationError<'_>) -> String {
    let field = error.instance_path().as_str().trim_start_matches('/');
    let message = match error.kind() {
        ValidationErrorKind::Required { property } => {
            format!("{} is missing", property.as_str().unwrap_or_default())
        }
        ValidationErrorKind::AdditionalProperties { unexpected } => {
            format!("there is no argument {}", unexpected.join(", "))
        }
        _ => error.masked_with("this").to_string(),
    };
    match field {
        "" => cut(&message),
        _ => cut(&format!("{field}: {message}")),
    }
}

/// The arguments a schema names, as `path (string), limit (integer, optional)`.
fn fields(schema: &Value) -> String {
    let required = schema["required"].as_array();
    let is_required = |name: &str| required.is_some_and(|all| all.iter().any(|one| one == name));
    let Some(properties) = schema["properties"].as_object() else {
        return "a JSON object".to_owned();
    };
    let fields = properties.iter().map(|(name, property)| {
        let kind = property["type"].as_str().unwrap_or("any");
        let optional = if is_required(name) { "" } else { ", optional" };
        format!("{name} ({kind}{optional})")
    });
    let fields: Vec<String> = fields.collect();
    if fields.is_empty() {
        "no arguments".to_owned()
    } else {
        fields.join(", ")
    }
}

fn cut(text: &str) -> String {
    text.chars().take(SHOWN_LIMIT).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_that_do_not_fit_are_refused_with_the_field_and_what_is_expected() {
        let tools = Toolbox::standard();
        let long = format!(r#"{{"path": {:?}, "x": 1}}"#, "y".repeat(100_000));
        for (arguments, messages) in [
            ("", &["path is missing", "path (string)"][..]),
            (" \n", &["path is missing"]),
            ("{}", &["path is missing", "limit (integer, optional)"]),
            ("{\"path\": ", &["not JSON", "line 1 column 9"]),
            ("[]", &["this is not of type \"object\""]),
            ("\"README.md\"", &["not of type \"object\""]),
            (r#"{"path": 1}"#, &["path: this is not of type \"string\""]),
            (
                r#"{"path": ""}"#,
                &["path: this is shorter than 1 character"],
            ),
            (
                r#"{"path": "a", "limit": 0}"#,
                &["limit: this is less than"],
            ),
            (
                r#"{"pth": "a", "limit": "b"}"#,
                &["no argument pth", "limit: this is not", "path is missing"],
            ),
            (&long, &["path: this is longer than", "no argument x"]),
        ] {
            let Err(refusal) = tools.admit("read_file", arguments) else {
                panic!("admitted {arguments}");
            };
            for message in messages {
                let said = &refusal.message;
                assert!(said.contains(message), "{arguments:.60}: {said}");
            }
            assert!(refusal.message.len() < 1_000, "{}", refusal.message.len());
        }
    }

    #[test]
    fn an_unknown_tool_is_answered_with_the_known_ones() {
        let Err(refusal) = Toolbox::standard().admit("readFile", "{}") else {
            panic!("admitted");
        };
        assert_eq!(
            refusal.message,
            "there is no tool \"readFile\"; there are: read_file, list_dir, glob, grep, write_file, edit_file, shell"
        );
    }

    #[test]
    fn every_schema_of_the_standard_tools_is_valid_and_closed() {
        for entry in Toolbox::standard().tools {
            let declaration = entry.tool.declaration();
            assert!(entry.schema.is_ok(), "{}", declaration.name);
            assert_eq!(declaration.parameters["additionalProperties"], false);
        }
    }
}
