//! Sums over the rows of a page.

use std::collections::BTreeMap;

use crate::report::html::{Doing, Row};

/// A number at the top of a page.
pub(in crate::report) struct Count {
    pub(in crate::report) name: &'static str,
    pub(in crate::report) number: usize,
    pub(in crate::report) tone: &'static str,
}

/// A table of sums.
pub(in crate::report) struct Table {
    pub(in crate::report) title: &'static str,
    /// The subject of its rows.
    pub(in crate::report) what: &'static str,
    /// The filter that a row sets.
    pub(in crate::report) field: &'static str,
    pub(in crate::report) columns: Vec<String>,
    pub(in crate::report) rows: Vec<TableRow>,
}

/// A row of a table of sums.
pub(in crate::report) struct TableRow {
    pub(super) name: String,
    /// The value of the filter.
    pub(super) value: String,
    pub(super) numbers: Vec<usize>,
}

/// Sums by plugin, namespace and verdict, each by the column of a table.
#[derive(Clone, Debug, Default)]
pub(super) struct Totals {
    plugins: Sums,
    namespaces: Sums,
    verdicts: Sums,
}

/// Denied, warned, changed and, for namespaces, requests.
const COLUMNS: usize = 4;

type Sums = BTreeMap<String, [usize; COLUMNS]>;

impl Totals {
    pub(super) fn add(&mut self, row: &Row) {
        let namespace = self.namespaces.entry(row.namespace.clone()).or_default();
        namespace[3] += 1;
        let verdict = self.verdicts.entry(row.verdict.clone()).or_default();
        verdict[0] += 1;
        for doing in [Doing::Denied, Doing::Warned, Doing::Changed] {
            namespace[doing as usize] += usize::from(row.doings.iter().any(|(done, _)| *done == doing));
        }
        for (doing, plugin) in &row.doings {
            self.plugins.entry((*plugin).to_owned()).or_default()[*doing as usize] += 1;
        }
    }

    pub(super) fn join(&mut self, other: Self) {
        join(&mut self.plugins, other.plugins);
        join(&mut self.namespaces, other.namespaces);
        join(&mut self.verdicts, other.verdicts);
    }

    pub(super) fn tables(&self) -> Vec<Table> {
        let columns = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let plugins = self.plugins.iter().map(|(plugin, numbers)| (plugin, &numbers[..3]));
        let namespaces = self.namespaces.iter().map(|(namespace, numbers)| (namespace, &numbers[..]));
        let verdicts = self.verdicts.iter().map(|(verdict, numbers)| (verdict, &numbers[..1]));
        let tables = [
            Table {
                title: "By plugin",
                what: "Plugin",
                field: "plugin",
                columns: columns(&["refusals", "warnings", "changes"]),
                rows: rows(plugins),
            },
            Table {
                title: "By namespace",
                what: "Namespace",
                field: "namespace",
                columns: columns(&["requests denied", "warned", "changed", "all"]),
                rows: rows(namespaces),
            },
            Table {
                title: "By verdict",
                what: "Verdict",
                field: "verdict",
                columns: columns(&["requests"]),
                rows: rows(verdicts),
            },
        ];
        tables.into_iter().filter(|table| !table.rows.is_empty()).collect()
    }
}

impl TableRow {
    pub(in crate::report) fn new(value: &str, numbers: Vec<usize>) -> Self {
        let name = if value.is_empty() { "(cluster)" } else { value };
        Self { name: name.to_owned(), value: value.to_owned(), numbers }
    }
}

fn rows<'a>(numbers: impl Iterator<Item = (&'a String, &'a [usize])>) -> Vec<TableRow> {
    numbers.map(|(value, numbers)| TableRow::new(value, numbers.to_vec())).collect()
}

fn join(sums: &mut Sums, others: Sums) {
    for (name, numbers) in others {
        let sum = sums.entry(name).or_default();
        sum.iter_mut().zip(numbers).for_each(|(sum, number)| *sum += number);
    }
}
