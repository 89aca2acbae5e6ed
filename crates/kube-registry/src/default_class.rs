//! Choice of the default class among several.
//!
//! Source: `k8s.io/kubernetes/pkg/volume/util` (`GetDefaultClass`) and its twin in the plugin `DefaultIngressClass`.

use std::cmp::Reverse;
use std::sync::Arc;

use kube_api::Object;

/// Returns the class that counts as default: of those that one of `annotations` marks the newest, then the first by
/// name. A class without a time of creation counts as just created.
pub fn default_class(classes: &[Arc<Object>], annotations: &[&str]) -> Option<Arc<Object>> {
    let newest_first = |class: &&Arc<Object>| {
        let created = class.text(["metadata", "creationTimestamp"]).to_owned();
        (!created.is_empty(), Reverse(created), class.name().to_owned())
    };
    marked(classes, annotations).min_by_key(newest_first).cloned()
}

/// Returns the number of classes that one of `annotations` marks as default.
pub fn count_default_classes(classes: &[Arc<Object>], annotations: &[&str]) -> usize {
    marked(classes, annotations).count()
}

fn marked<'a>(classes: &'a [Arc<Object>], annotations: &[&str]) -> impl Iterator<Item = &'a Arc<Object>> {
    let is_marked = |class: &&Arc<Object>| {
        annotations.iter().any(|annotation| class.annotation(annotation) == Some("true"))
    };
    classes.iter().filter(is_marked)
}

#[cfg(test)]
mod tests {
    use super::*;
    use gotext::value::json;
    use kube_api::GroupVersionKind;

    fn class(name: &str, marked: &str, created: Option<&str>) -> Arc<Object> {
        let kind = GroupVersionKind::new("storage.k8s.io", "v1", "StorageClass");
        let metadata =
            json!({"name": name, "annotations": {"default": marked}, "creationTimestamp": created});
        Arc::new(Object::new(kind, json!({"metadata": metadata})))
    }

    fn default_of(classes: &[Arc<Object>]) -> Option<String> {
        default_class(classes, &["older-default", "default"]).map(|class| class.name().to_owned())
    }

    #[test]
    fn takes_the_newest_of_the_marked_ones() {
        let old = class("a", "true", Some("2026-01-01T00:00:00Z"));
        let new = class("c", "true", Some("2026-01-02T00:00:00Z"));
        let same = class("b", "true", Some("2026-01-02T00:00:00Z"));
        let unmarked = class("d", "True", Some("2026-01-03T00:00:00Z"));
        assert_eq!(default_of(&[old.clone(), new.clone(), unmarked.clone()]).as_deref(), Some("c"));
        assert_eq!(default_of(&[old.clone(), new.clone(), same]).as_deref(), Some("b"));
        assert_eq!(default_of(&[old, new, class("z", "true", None)]).as_deref(), Some("z"));
        assert_eq!(default_of(&[unmarked]), None);
    }
}
