//! Amounts of resources by name, such as `requests` of a container or `hard` of a quota.
//!
//! Source: `ResourceList` of `k8s.io/api/core/v1`.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::{Map, Value};
use gotext::quantity::Quantity;

/// Amounts by resource name, ordered by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResourceList<'a>(BTreeMap<Cow<'a, str>, Quantity>);

impl<'a> ResourceList<'a> {
    /// Reads a map of quantities, rounded up to thousandths as the API server stores them. Invalid quantities are left
    /// out: objects with such are not decoded.
    ///
    /// Source: `SetDefaults_ResourceList`.
    pub fn of(value: Option<&'a Value>) -> Self {
        let entries = value.and_then(Value::as_object).into_iter().flatten();
        entries.filter_map(|(name, value)| Some((name.as_str(), quantity(value)?))).collect()
    }

    /// Returns the amount of `name`, if the list has one.
    pub fn get(&self, name: &str) -> Option<&Quantity> {
        self.0.get(name)
    }

    /// Returns the quantities as they are printed.
    pub fn printed(&self) -> Map {
        self.iter().map(|(name, amount)| (name.to_owned(), Value::from(amount.to_string()))).collect()
    }

    /// Whether the list has an amount of `name`.
    pub fn contains(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// Whether the list has no amounts.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns names and amounts, ordered by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Quantity)> {
        self.0.iter().map(|(name, quantity)| (name.as_ref(), quantity))
    }

    /// Returns the names, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(Cow::as_ref)
    }

    /// Writes the amount of `name`.
    pub fn insert(&mut self, name: impl Into<Cow<'a, str>>, quantity: Quantity) {
        self.0.insert(name.into(), quantity);
    }

    /// Keeps the entries for which `keep` returns true.
    pub fn retain(&mut self, mut keep: impl FnMut(&str, &Quantity) -> bool) {
        self.0.retain(|name, quantity| keep(name, quantity));
    }

    /// Replaces each amount by the result of `change`.
    pub fn change(&mut self, mut change: impl FnMut(&str, &Quantity) -> Quantity) {
        for (name, quantity) in &mut self.0 {
            *quantity = change(name, quantity);
        }
    }

    /// Adds `quantity` to the amount of `name`.
    pub fn add(&mut self, name: impl Into<Cow<'a, str>>, quantity: &Quantity) {
        let name = name.into();
        match self.0.get_mut(&name) {
            Some(sum) => *sum = sum.add(quantity),
            None => self.insert(name, quantity.clone()),
        }
    }

    /// Adds every amount of `other`.
    pub fn add_all(&mut self, other: &Self) {
        for (name, quantity) in &other.0 {
            self.add(name.clone(), quantity);
        }
    }

    /// Takes over every amount of `other` that is new or larger than its own.
    pub fn raise_to(&mut self, other: &Self) {
        for (name, quantity) in &other.0 {
            if self.0.get(name).is_none_or(|own| quantity > own) {
                self.0.insert(name.clone(), quantity.clone());
            }
        }
    }

    /// Writes every amount of `other`.
    pub fn replace_with(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// Returns the same list, independent of what it was read from.
    pub fn into_owned(self) -> ResourceList<'static> {
        let entries = self.0.into_iter();
        ResourceList(entries.map(|(name, quantity)| (Cow::Owned(name.into_owned()), quantity)).collect())
    }
}

impl<'a, Name: Into<Cow<'a, str>>> FromIterator<(Name, Quantity)> for ResourceList<'a> {
    fn from_iter<Entries: IntoIterator<Item = (Name, Quantity)>>(entries: Entries) -> Self {
        Self(entries.into_iter().map(|(name, quantity)| (name.into(), quantity)).collect())
    }
}

/// Reads a text or number as a quantity, rounded up to thousandths.
fn quantity(value: &Value) -> Option<Quantity> {
    let quantity = match value {
        Value::String(text) => Quantity::parse(text).ok()?,
        Value::Number(number) => Quantity::parse(&number.to_string()).ok()?,
        _ => return None,
    };
    let thousandths = Quantity::from_milli(quantity.milli_value(), quantity.format());
    Some(if is_next(&quantity, &thousandths, 1) { thousandths } else { quantity })
}

/// Returns `quantity` rounded up to whole units.
pub fn rounded_up(quantity: &Quantity) -> Quantity {
    let whole = Quantity::from_value(quantity.value(), quantity.format());
    if is_next(quantity, &whole, 1000) { whole } else { quantity.clone() }
}

/// Whether `rounded` is less than `step` thousandths above `quantity`; it is not if the rounding overflowed.
fn is_next(quantity: &Quantity, rounded: &Quantity, step: i64) -> bool {
    rounded > quantity && rounded.sub(quantity) < Quantity::from_milli(step, quantity.format())
}

#[cfg(test)]
mod tests {
    use super::*;
    use gotext::value::json;

    fn texts(list: &ResourceList) -> Vec<String> {
        list.iter().map(|(name, quantity)| format!("{name}={quantity}")).collect()
    }

    #[test]
    fn reads_texts_and_numbers_and_rounds_up_to_thousandths() {
        let value = json!({"cpu": "0.0001", "memory": 1024, "pods": "many", "storage": "9e30"});
        let list = ResourceList::of(Some(&value));
        assert_eq!(texts(&list), ["cpu=1m", "memory=1024", "storage=9e30"]);
    }

    #[test]
    fn rounds_up_to_whole_units() {
        let round = |text| rounded_up(&Quantity::parse(text).unwrap()).to_string();
        assert_eq!(["1500m", "0.5Ki", "2Gi", "9e30"].map(round), ["2", "512", "2Gi", "9e30"]);
    }

    #[test]
    fn adds_and_raises() {
        let (one, two) =
            (json!({"cpu": "500m", "memory": "1Gi"}), json!({"cpu": "1", "memory": "1Mi", "pods": "1"}));
        let mut sum = ResourceList::of(Some(&one));
        sum.add_all(&ResourceList::of(Some(&two)));
        assert_eq!(texts(&sum), ["cpu=1500m", "memory=1025Mi", "pods=1"]);
        let mut largest = ResourceList::of(Some(&one));
        largest.raise_to(&ResourceList::of(Some(&two)));
        assert_eq!(texts(&largest), ["cpu=1", "memory=1Gi", "pods=1"]);
    }
}
