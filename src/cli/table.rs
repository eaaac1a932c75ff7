use comfy_table::{ContentArrangement, Table, presets};

use super::output::plain;

/// A table as a person reads it.
pub(super) fn table(columns: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Disabled)
        .set_header(columns);
    for row in rows {
        let cells = row
            .iter()
            .map(|cell| plain(cell).replace(['\n', '\t'], " "));
        table.add_row(cells.collect::<Vec<_>>());
    }
    let lines: Vec<String> = table
        .lines()
        .map(|line| {
            line.strip_prefix(' ')
                .unwrap_or(&line)
                .trim_end()
                .to_owned()
        })
        .collect();
    lines.join("\n")
}
