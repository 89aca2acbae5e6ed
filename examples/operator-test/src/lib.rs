//! An operator that makes a Deployment from its settings, and tests that a cluster takes what it makes.

use std::collections::BTreeMap;

use k8s_openapi::api::apps::v1::{Deployment, DeploymentSpec};
use k8s_openapi::api::core::v1::{Container, PodSpec, PodTemplateSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, ObjectMeta};

/// Returns the Deployment that the operator applies.
pub fn deployment(replicas: i32, image: &str, host_network: bool) -> Deployment {
    let labels = BTreeMap::from([("app".to_owned(), "web".to_owned())]);
    let container = Container { name: "web".into(), image: Some(image.into()), ..Container::default() };
    let spec =
        PodSpec { containers: vec![container], host_network: Some(host_network), ..PodSpec::default() };
    Deployment {
        metadata: ObjectMeta {
            name: Some("web".into()),
            namespace: Some("shop".into()),
            ..ObjectMeta::default()
        },
        spec: Some(DeploymentSpec {
            replicas: Some(replicas),
            selector: LabelSelector { match_labels: Some(labels.clone()), ..LabelSelector::default() },
            template: PodTemplateSpec {
                metadata: Some(ObjectMeta { labels: Some(labels), ..ObjectMeta::default() }),
                spec: Some(spec),
            },
            ..DeploymentSpec::default()
        }),
        ..Deployment::default()
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error;

    use k8s_openapi::api::core::v1::Pod;
    use kadmit::{ApiServer, OfflineCluster, Operation, SourceFile, UserInfo};

    use super::deployment;

    /// What exists: a namespace with a level and a quota of two Pods, and the rights of the operator.
    const CLUSTER: &str = "
apiVersion: v1
kind: Namespace
metadata:
  name: shop
  labels: {pod-security.kubernetes.io/enforce: baseline}
---
apiVersion: v1
kind: ResourceQuota
metadata: {name: team, namespace: shop}
spec: {hard: {pods: 2}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: operator, namespace: shop}
rules:
- {apiGroups: [apps], resources: [deployments], verbs: [get, create, update, patch]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: operator, namespace: shop}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: operator}
subjects:
- {kind: ServiceAccount, name: operator, namespace: shop}
";

    fn cluster() -> Result<OfflineCluster, kadmit::Errors> {
        let server = ApiServer::from_flags(["--authorization-mode=RBAC"])?;
        server.cluster(&[SourceFile::new("cluster.yaml", CLUSTER)])
    }

    fn operator() -> UserInfo {
        UserInfo::of_service_account("shop", "operator")
    }

    #[test]
    fn the_cluster_takes_it_and_a_change_of_it() -> Result<(), Box<dyn Error>> {
        let mut cluster = cluster()?;
        let mut operator = cluster.as_user(operator());
        let created = operator.create(&deployment(2, "web:1", false))?;
        assert!(created.is_admitted(), "{created}");
        let (pod, count) = created.outcomes[0].pods().next().expect("a Pod");
        let stored: Pod = pod.object_as()?;
        assert_eq!(
            (count, stored.spec.expect("a spec").service_account_name.as_deref()),
            (2, Some("default"))
        );

        let updated = operator.update(&deployment(1, "web:2", false))?;
        assert_eq!(updated.outcomes[0].operation, Operation::Update);
        assert!(updated.outcomes[0].allowed(), "{updated}");
        let denied = operator.delete(&deployment(1, "web:2", false))?;
        assert!(denied.to_string().contains("cannot delete resource \"deployments\""), "{denied}");
        Ok(())
    }

    #[test]
    fn what_is_too_much_is_refused() -> Result<(), Box<dyn Error>> {
        let before = cluster()?;
        for (deployment, plugin) in
            [(deployment(3, "web:1", false), "ResourceQuota"), (deployment(1, "web:1", true), "PodSecurity")]
        {
            let evaluation = before.try_clone()?.apply(&deployment)?;
            let denied = evaluation.denied().next().expect("a refused Pod");
            assert_eq!(denied.denied_by(), Some(plugin), "{evaluation}");
        }
        Ok(())
    }
}
