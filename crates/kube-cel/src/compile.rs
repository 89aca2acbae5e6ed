//! Compiles the text of an expression into one that can be run.

use super::Checked;
use super::ast::Ast;
use super::build;
use super::check;
use super::environment::Env;
use super::issue::Issues;
use super::source::Source;
use super::validate;

impl Env {
    /// Reads and checks an expression.
    ///
    /// # Errors
    ///
    /// Returns all issues on failure. Types are checked only if the expression parses, and literals are validated only
    /// if the types are correct.
    pub fn compile(&self, text: &str) -> Result<Checked, Issues> {
        let source = Source::new(text);
        let mut ast = self.parse(&source)?;
        let mut issues = Issues::default();
        let findings = check::check(&mut ast, &source, self, &mut issues);
        if !issues.is_empty() {
            return Err(issues.finish(&source));
        }
        let checked = Checked::new(ast, findings);
        if !self.is_lenient {
            validate::validate(&checked, &source, &mut issues);
        }
        if issues.is_empty() { Ok(checked) } else { Err(issues.finish(&source)) }
    }

    pub(super) fn parse(&self, source: &Source) -> Result<Ast, Issues> {
        let mut issues = Issues::default();
        let ast = build::parse(source, (self.macros, self.oldest), &mut issues);
        if issues.is_empty() { Ok(ast) } else { Err(issues.finish(source)) }
    }
}
