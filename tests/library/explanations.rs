//! Explanations of refusals: the deciding part, the values that it read, and their fields.

use gotext::value::{Value, json};
use kadmit::policy::{Bindings, COST_BUDGET, ExpressionCompiler, Inputs, Use, Variable};

/// An explanation: the part, the values and the fields.
#[derive(Debug, PartialEq)]
struct Told {
    part: String,
    values: Vec<String>,
    names: Vec<String>,
    fields: Vec<String>,
}

fn compiled(variables: &[(&str, &str)]) -> (ExpressionCompiler, Vec<Variable>) {
    let mut compiler = ExpressionCompiler::of_policy(false);
    let variables = variables.iter().map(|(name, text)| compiler.variable(name, text)).collect();
    (compiler, variables)
}

fn inputs<'a>(object: &'a Value, request: &'a Value) -> Inputs<'a> {
    Inputs {
        object: Some(object),
        old_object: None,
        request,
        params: None,
        namespace_object: None,
        authorizer: None,
        others: &[],
    }
}

/// Returns the explanation of a refusal; `None` if `expression` admits.
fn told(object: &Value, expression: &str, variables: &[(&str, &str)]) -> Option<Told> {
    let request = json!({"operation": "CREATE"});
    let inputs = inputs(object, &request);
    let (compiler, variables) = compiled(variables);
    let expression = compiler.expression(expression, Use::Condition);
    expression.compiled().unwrap_or_else(|error| panic!("{}: {error}", expression.text));
    let value = expression.evaluate(&Bindings::new(inputs, &variables), &mut COST_BUDGET.clone());
    if matches!(value, Ok(kube_cel::Value::Bool(true))) {
        return None;
    }
    let explained = expression.explain(inputs, &variables);
    let explanation = explained.explanation;
    Some(Told {
        part: explanation.expression[explanation.part.clone()].to_owned(),
        values: explanation.values.iter().map(|(name, says)| format!("{name} {says}")).collect(),
        names: explanation.values.into_iter().map(|(name, _)| name).collect(),
        fields: explained.fields.iter().map(ToString::to_string).collect(),
    })
}

fn web() -> Value {
    json!({
        "metadata": {"name": "web", "labels": {"app": "web"}, "annotations": {"team": "b", "tier": "front"}},
        "spec": {
            "replicas": 5,
            "containers": [
                {"image": "a:1", "env": [{"name": "A", "value": "x"}]},
                {
                    "image": "b",
                    "securityContext": {"runAsNonRoot": true},
                    "env": [{"name": "B", "value": "y"}, {"name": "PASSWORD", "value": "z"}],
                },
            ],
            "initContainers": [{"image": "c"}],
        },
    })
}

fn explained(expression: &str, variables: &[(&str, &str)]) -> (String, Vec<String>, Vec<String>) {
    let told = told(&web(), expression, variables).expect("it refuses");
    (told.part, told.values, told.fields)
}

#[test]
fn names_the_term_that_decides() {
    let (part, values, fields) =
        explained("object.metadata.name == 'web' && (object.spec.replicas <= 3 && true)", &[]);
    assert_eq!(part, "object.spec.replicas <= 3");
    assert_eq!(values, ["object.spec.replicas is 5"]);
    assert_eq!(fields, ["spec.replicas"]);
    let (part, ..) = explained("object.metadata.name != ')' && object.spec.replicas == 1", &[]);
    assert_eq!(part, "object.metadata.name != ')' && object.spec.replicas == 1");
}

#[test]
fn names_what_a_condition_chooses() {
    let (_, values, fields) =
        explained("(has(object.spec.paused) ? oldObject : object).spec.replicas <= 3", &[]);
    assert_eq!(values, ["object.spec.paused is not set", "object.spec.replicas is 5"]);
    assert!(fields.contains(&"spec.replicas".to_owned()), "{fields:?}");
    let chosen = "!(object.spec.replicas == 5 ? object : oldObject).metadata.?name.hasValue()";
    let (_, values, _) = explained(chosen, &[]);
    assert_eq!(values, ["object.spec.replicas is 5", "object.metadata.name is 'web'"]);
}

#[test]
fn names_the_item_that_decides() {
    for (expression, value) in [
        ("object.spec.containers.all(c, c.image.contains(':'))", "object.spec.containers[1].image is 'b'"),
        (
            "object.spec.containers.all(c, has(c.securityContext) && c.securityContext.runAsNonRoot)",
            "object.spec.containers[0].securityContext is not set",
        ),
        (
            "object.spec.containers.all(c, has(c.env) && c.env.all(e, has(e.value) && e.name != 'PASSWORD'))",
            "object.spec.containers[1].env[1].name is 'PASSWORD'",
        ),
        (
            "object.spec.containers.all(c, c.env.all(e, e.name != 'PASSWORD'))",
            "object.spec.containers[1].env[1].name is 'PASSWORD'",
        ),
        ("!object.spec.containers.exists(c, c.image == 'b')", "object.spec.containers[1].image is 'b'"),
        (
            "object.spec.containers.filter(c, c.image == 'b').size() == 0",
            "object.spec.containers[1].image is 'b'",
        ),
        (
            "(object.spec.containers + object.spec.initContainers).all(c, c.image != 'c')",
            "object.spec.initContainers[0].image is 'c'",
        ),
        (
            "(object.spec.containers + object.spec.?initContainers.orValue([])).all(c, c.image != 'c')",
            "object.spec.initContainers[0].image is 'c'",
        ),
        (
            "object.spec.containers.map(c, c.image).all(i, i.contains(':'))",
            "object.spec.containers[1].image is 'b'",
        ),
        (
            "object.spec.containers.filter(c, has(c.securityContext)).all(c, c.image.contains(':'))",
            "object.spec.containers[1].image is 'b'",
        ),
        ("object.metadata.annotations.all(k, v, v != 'b')", "object.metadata.annotations['team'] is 'b'"),
        ("object.metadata.annotations.all(k, k != 'tier')", "object.metadata.annotations has the key 'tier'"),
    ] {
        assert_eq!(explained(expression, &[]).1, [value], "{expression}");
    }
    let (.., fields) = explained("object.metadata.annotations.all(k, k != 'tier')", &[]);
    assert_eq!(fields, ["metadata.annotations.tier"]);
    let (_, values, _) = explained("object.spec.containers.exists(c, c.image.startsWith('z'))", &[]);
    assert_eq!(
        values,
        ["object.spec.containers[0].image is 'a:1'", "object.spec.containers[1].image is 'b'"]
    );
}

#[test]
fn looks_into_variables() {
    let variables = [("limit", "3"), ("fits", "object.spec.replicas <= variables.limit")];
    let (part, values, _) = explained("variables.fits", &variables);
    assert_eq!(part, "variables.fits");
    assert_eq!(values, ["variables.fits is false", "object.spec.replicas is 5", "variables.limit is 3"]);
    let variables = [("containers", "object.spec.containers")];
    let (.., fields) = explained("variables.containers.all(c, c.image.contains(':'))", &variables);
    assert_eq!(fields, ["spec.containers[1].image"]);
    let variables = [("all", "object.spec.containers + object.spec.?initContainers.orValue([])")];
    let (_, values, fields) = explained("variables.all.all(c, c.image != 'c')", &variables);
    assert_eq!(values, ["object.spec.initContainers[0].image is 'c'"]);
    assert_eq!(fields, ["spec.initContainers[0].image"]);
    let variables = [("bad", "object.spec.containers.filter(c, !c.image.contains(':')).map(c, c.image)")];
    let (_, values, fields) = explained("size(variables.bad) == 0", &variables);
    assert_eq!(values, ["variables.bad is ['b']", "object.spec.containers[1].image is 'b'"]);
    assert_eq!(fields, ["spec.containers[1].image"]);
}

#[test]
fn says_what_is_missing() {
    let (_, values, fields) = explained("has(object.metadata.finalizers)", &[]);
    assert_eq!(values, ["object.metadata.finalizers is not set"]);
    assert_eq!(fields, ["metadata.finalizers"]);
    let (_, values, _) = explained("object.metadata.labels['tier'] == 'web'", &[]);
    assert_eq!(values, ["object.metadata.labels['tier'] is not set"]);
    let (_, values, _) = explained("object.spec.template.spec.hostNetwork == false", &[]);
    assert_eq!(values, ["object.spec.template is not set"]);
    let (_, values, _) = explained("object.spec.?paused.orValue('a') == 'b'", &[]);
    assert_eq!(values, ["object.spec.paused is not set"]);
}

/// A generator of numbers that is the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }

    fn one_of<'t>(&mut self, texts: &[&'t str]) -> &'t str {
        texts[self.below(texts.len())]
    }

    /// Returns a value of a field, most of the time.
    fn scalar(&mut self) -> Value {
        match self.below(6) {
            0 => json!(true),
            1 => json!(false),
            2 | 3 => json!(self.below(4)),
            _ => json!(self.one_of(&TEXTS)),
        }
    }

    fn object(&mut self) -> Value {
        let mut object = json!({"spec": {}, "metadata": {"labels": {}}});
        for field in ["a", "b", "c", "d"] {
            if self.below(4) > 0 {
                object["spec"][field] = self.scalar();
            }
        }
        for key in ["x", "y", "z"] {
            if self.below(3) > 0 {
                object["metadata"]["labels"][key] = json!(self.one_of(&TEXTS));
            }
        }
        for list in ["l", "m"] {
            if self.below(5) > 0 {
                let items = (0..self.below(4)).map(|_| self.item()).collect::<Vec<_>>();
                object["spec"][list] = items.into();
            }
        }
        object
    }

    fn item(&mut self) -> Value {
        let mut item = json!({});
        for field in ["p", "q"] {
            if self.below(4) > 0 {
                item[field] = self.scalar();
            }
        }
        if self.below(3) > 0 {
            let inner = (0..self.below(3)).map(|_| json!({"r": self.scalar(), "s": self.scalar()}));
            item["n"] = inner.collect::<Vec<_>>().into();
        }
        item
    }

    /// Returns a condition on the value that `field` of `of` has.
    fn atom(&mut self, of: &str, field: &str) -> String {
        let text = self.one_of(&TEXTS);
        let number = self.below(4);
        match self.below(6) {
            0 => format!("has({of}.{field})"),
            1 => format!("{of}.{field} == '{text}'"),
            2 => format!("has({of}.{field}) && {of}.{field} != '{text}'"),
            3 => format!("has({of}.{field}) && {of}.{field} == {number}"),
            4 => format!("{of}.?{field}.orValue('{text}') == 'b'"),
            _ => format!("{of}.{field} in ['{text}', 'b']"),
        }
    }

    fn joined(&mut self, left: &str, right: &str) -> String {
        match self.below(3) {
            0 => format!("({left}) && ({right})"),
            1 => format!("({left}) || ({right})"),
            _ => format!("!(({left}) || ({right}))"),
        }
    }

    /// Returns a condition on items of the list `of`, which are called `name`.
    fn predicate(&mut self, name: &str) -> String {
        let (p, q) = (self.atom(name, "p"), self.atom(name, "q"));
        match self.below(5) {
            0 => p,
            1 => q,
            2 => {
                let (r, s) = (self.atom("i", "r"), self.atom("i", "s"));
                let inner = self.joined(&r, &s);
                let quantifier = self.one_of(&["all", "exists"]);
                format!("has({name}.n) && {name}.n.{quantifier}(i, {inner})")
            }
            _ => self.joined(&p, &q),
        }
    }

    fn quantified(&mut self) -> String {
        let list = self.one_of(&[
            "object.spec.l",
            "object.spec.?l.orValue([])",
            "(object.spec.?l.orValue([]) + object.spec.?m.orValue([]))",
            "variables.both",
            "variables.alias",
        ]);
        let predicate = self.predicate("e");
        match self.below(5) {
            0 => format!("{list}.all(e, {predicate})"),
            1 => format!("{list}.exists(e, {predicate})"),
            2 => format!("!{list}.exists(e, {predicate})"),
            3 => format!("{list}.filter(e, {predicate}).size() == 0"),
            _ => format!("{list}.map(e, e.?p.orValue('a')).all(v, v != '{}')", self.one_of(&TEXTS)),
        }
    }

    /// Returns a rule in which every field is named once.
    fn rule(&mut self) -> String {
        let (a, b) = (self.atom("object.spec", "a"), self.atom("object.spec", "b"));
        let plain = self.joined(&a, &b);
        let labels = format!("object.metadata.labels.all(k, v, v != '{}')", self.one_of(&TEXTS));
        let quantified = self.quantified();
        match self.below(6) {
            0 => plain,
            1 => labels,
            2 => self.joined(&plain, &quantified),
            3 => self.joined(&labels, &quantified),
            _ => quantified,
        }
    }
}

const TEXTS: [&str; 3] = ["a", "b", "c"];
const VARIABLES: [(&str, &str); 2] =
    [("both", "object.spec.?l.orValue([]) + object.spec.?m.orValue([])"), ("alias", "object.spec.l")];

/// Returns `object` with `value` at `path`, or without the field.
fn with(object: &Value, path: &str, value: Option<&Value>) -> Option<Value> {
    let mut changed = object.clone();
    let steps: Vec<&str> = path.split(['.', '[']).map(|step| step.trim_end_matches(']')).collect();
    let (last, before) = steps.split_last()?;
    let mut place = &mut changed;
    for step in before {
        place = if let Ok(index) = step.parse::<usize>() {
            place.get_mut(index)?
        } else {
            if place.get(*step).is_none() {
                place[*step] = json!({});
            }
            place.get_mut(*step)?
        };
    }
    match (value, last.parse::<usize>()) {
        (Some(value), Ok(index)) => *place.get_mut(index)? = value.clone(),
        (None, Ok(_)) => return None,
        (Some(value), _) => place[*last] = value.clone(),
        (None, _) => drop(place.as_object_mut()?.remove(last)?),
    }
    Some(changed)
}

/// Checks that each explained field matters: changed alone, it changes the verdict or the reason. Returns the number of
/// refusals.
fn check(random: &mut Random, objects: usize, rules: usize) -> usize {
    let rules: Vec<String> = (0..rules).map(|_| random.rule()).collect();
    let mut values: Vec<Option<Value>> = TEXTS.iter().map(|text| Some(json!(text))).collect();
    values.extend((0..4).map(|number| Some(json!(number))));
    let item = json!({"p": "d", "q": "d"});
    let other = json!({"p": "b", "q": "b", "n": [{"r": "b", "s": "b"}]});
    values.extend([None, Some(json!("d")), Some(json!([])), Some(json!([item])), Some(json!([other]))]);
    let mut refusals = 0;
    for _ in 0..objects {
        let object = random.object();
        let rule = &rules[random.below(rules.len())];
        let Some(told_first) = told(&object, rule, &VARIABLES) else { continue };
        refusals += 1;
        assert!(!told_first.fields.is_empty(), "nothing is explained: {rule}\n{object}\n{told_first:#?}");
        for field in &told_first.fields {
            let matters = values.iter().any(|value| {
                let Some(changed) = with(&object, field, value.as_ref()) else { return false };
                told(&changed, rule, &VARIABLES).is_none_or(|after| {
                    (&after.part, &after.names, &after.fields)
                        != (&told_first.part, &told_first.names, &told_first.fields)
                })
            });
            assert!(matters, "{field} does not matter: {rule}\n{object}\n{told_first:#?}");
        }
    }
    refusals
}

/// `KADMIT_OBJECTS` sets another number of objects than that of the suite.
#[test]
fn what_is_explained_matters() {
    let objects = std::env::var("KADMIT_OBJECTS").ok().and_then(|count| count.parse().ok()).unwrap_or(400);
    assert!(check(&mut Random(1), objects, objects.div_ceil(4).min(200)) > objects / 5);
}
