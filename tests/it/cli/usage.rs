//! Help fits a screen and shows an example.

use super::Desk;

const COMMANDS: [&str; 8] = [
    "exec",
    "serve",
    "threads",
    "show",
    "verify",
    "checkpoint",
    "evidence",
    "audit",
];

#[test]
fn help_fits_a_screen_and_has_an_example() {
    let desk = Desk::new();
    let mut all = vec![vec!["--help"], vec!["-h"]];
    for command in COMMANDS {
        all.push(vec![command, "--help"]);
    }
    all.push(vec!["evidence", "export", "--help"]);
    for typed in all {
        let said = desk.says(&typed);
        assert_eq!(
            (said.code, said.err.as_str()),
            (Some(0), ""),
            "{typed:?}: {said:?}"
        );
        assert!(
            said.out.lines().count() <= 40,
            "{typed:?}: {} lines",
            said.out.lines().count()
        );
        let widest = said
            .out
            .lines()
            .map(|line| line.chars().count())
            .max()
            .unwrap();
        assert!(widest <= 100, "{typed:?}: {widest} columns\n{}", said.out);
        assert!(
            said.out.contains("Example:\n  threadkeep "),
            "{typed:?}: {}",
            said.out
        );
    }
}

#[test]
fn help_names_every_command_and_what_it_is_for() {
    let said = Desk::new().says(&["--help"]);
    for command in COMMANDS {
        let line = said
            .out
            .lines()
            .find(|line| line.trim_start().starts_with(command));
        let line = line.unwrap_or_else(|| panic!("{command} is missing"));
        assert!(line.split_whitespace().count() > 3, "{line}");
    }
}

#[test]
fn the_version_is_the_packages() {
    let said = Desk::new().says(&["--version"]);
    assert_eq!(
        said.out,
        concat!("threadkeep ", env!("CARGO_PKG_VERSION"), "\n")
    );
}

/// The first command of the README, in a repository.
#[test]
fn the_first_command_looks_with_tools_and_says_how_to_go_on() {
    let desk = Desk::new();
    let said = desk.says(&["exec", "what is in this repository?"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.out.contains("Lighthouse"), "{said:?}");
    assert!(said.out.contains("not a language model"), "{said:?}");
    assert!(
        said.err.contains("• list_dir") && said.err.contains("• read_file"),
        "{said:?}"
    );
    let show = said
        .err
        .lines()
        .last()
        .unwrap()
        .split_once("threadkeep show ")
        .unwrap()
        .1;
    assert_eq!(desk.says(&["show", show]).code, Some(0));
    let used: Vec<_> = desk.asks("tool_decisions");
    assert!(used.len() >= 2, "{used:?}");
}
