//! stub
use crate::api::features::FeatureGates;
use crate::api::{Object, field};
/// stub
pub fn validate_create(_: &Object, _: &FeatureGates) -> Vec<field::Error> {
    Vec::new()
}
/// stub
pub fn validate_update(_: &Object, _: &Object, _: &str, _: &FeatureGates) -> Vec<field::Error> {
    Vec::new()
}
