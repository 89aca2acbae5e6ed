//! Tokens of service accounts: a kubelet gets them only for its pods, and for the audiences that these pods need.

use super::{NodeRestriction, PODS, evidence, node_name, runs_elsewhere, uid};
use crate::admission::{Attributes, Operation, Refusal};
use crate::cluster::authorizer::ResourceAttributes;
use gotext::quote;
use kube_api::field::{Path, aggregate};
use kube_api::resources::{CSI_DRIVERS, PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES};
use kube_api::{GroupResource, Object, Status, Value};

/// The CSI drivers that replaced volume types once built into Kubernetes.
///
/// Source: `k8s.io/csi-translation-lib`.
const MIGRATED: &[(&str, &str)] = &[
    ("gcePersistentDisk", "pd.csi.storage.gke.io"),
    ("awsElasticBlockStore", "ebs.csi.aws.com"),
    ("cinder", "cinder.csi.openstack.org"),
    ("azureDisk", "disk.csi.azure.com"),
    ("azureFile", "file.csi.azure.com"),
    ("vsphereVolume", "csi.vsphere.vmware.com"),
    ("portworxVolume", "pxd.portworx.com"),
];

impl NodeRestriction {
    pub(super) fn admit_token(&self, node: &str, attributes: &Attributes) -> Result<(), Refusal> {
        let Some(request) = attributes.object.as_deref() else { return Ok(()) };
        if attributes.operation != Operation::Create || attributes.sub_resource != "token" {
            return Ok(());
        }
        let path = Path::new("spec.boundObjectRef");
        let refuse = |error: &str, path| Err(attributes.new_forbidden(error).at(path));
        let bound = |field| request.text(["spec", "boundObjectRef", field]);
        if [bound("apiVersion"), bound("kind")] != ["v1", "Pod"] || bound("name").is_empty() {
            return refuse("node requested token not bound to a pod", path);
        }
        if bound("uid").is_empty() {
            return refuse("node requested token with a pod binding without a uid", path.child("uid"));
        }
        let pod = self.pod(&attributes.namespace, bound("name"))?;
        if bound("uid") != uid(&pod) {
            let error = format!(
                "the UID in the bound object reference ({}) does not match the UID in record. The object might have \
                 been deleted and then recreated",
                bound("uid")
            );
            let evidence = evidence(PODS, &pod, "metadata.uid", format!("has the uid {}", uid(&pod)));
            return Err(attributes.new_forbidden(error).at(path.child("uid")).because(evidence));
        }
        if node_name(&pod) != node {
            let error = "node requested token bound to a pod scheduled on a different node";
            return Err(attributes.new_forbidden(error).at(path.child("name")).because(runs_elsewhere(&pod)));
        }
        if self.gates.audience_restriction {
            self.check_audience(request, &pod, attributes)
                .map_err(|error| attributes.new_forbidden(error).at(Path::new("spec.audiences")))?;
        }
        Ok(())
    }

    fn check_audience(&self, request: &Object, pod: &Object, attributes: &Attributes) -> Result<(), String> {
        let audience = match request.list(["spec", "audiences"]) {
            [] => "",
            [audience] => audience.as_str().unwrap_or_default(),
            _ => return Err("node may only request 0 or 1 audiences".to_owned()),
        };
        let is_wanted = self
            .wants_audience(pod, audience)
            .map_err(|error| format!("error validating audience {}: {error}", quote(audience)))?;
        let token = ResourceAttributes {
            namespace: &attributes.namespace,
            resource: audience,
            name: &attributes.name,
            ..ResourceAttributes::default()
        };
        let access = attributes.user_info.access("request-serviceaccounts-token-audience", token);
        if is_wanted || self.authorizer.authorize(&access).allowed {
            return Ok(());
        }
        Err(format!(
            "audience {} not found in pod spec volume, {} is not authorized to request tokens for this audience",
            quote(audience),
            attributes.user_info.username
        ))
    }

    /// Whether a volume of `pod` needs tokens for `audience`; an error if that is undecidable and no volume does.
    fn wants_audience(&self, pod: &Object, audience: &str) -> Result<bool, String> {
        let mut errors = Vec::new();
        for volume in pod.list(["spec", "volumes"]) {
            let sources = volume.list(["projected", "sources"]).iter();
            let mut tokens = sources.filter_map(|source| source.at("serviceAccountToken"));
            if tokens.any(|token| token.text("audience") == audience) {
                return Ok(true);
            }
            let driver = self.driver_of(volume, pod);
            match driver
                .and_then(|driver| driver.map_or(Ok(false), |driver| self.has_audience(&driver, audience)))
            {
                Ok(true) => return Ok(true),
                Ok(false) => {}
                Err(error) => errors.push(error.message),
            }
        }
        if errors.is_empty() { Ok(false) } else { Err(aggregate(&errors)) }
    }

    /// Returns the CSI driver behind a volume, if there is one.
    fn driver_of(&self, volume: &Value, pod: &Object) -> Result<Option<String>, Status> {
        if volume.has(["ephemeral", "volumeClaimTemplate"]) {
            self.driver_of_claim(pod.namespace(), &format!("{}-{}", pod.name(), volume.text("name")))
        } else if let Some(claim) = volume.at("persistentVolumeClaim") {
            self.driver_of_claim(pod.namespace(), claim.text("claimName"))
        } else {
            Ok(driver_of_source(volume))
        }
    }

    fn driver_of_claim(&self, namespace: &str, name: &str) -> Result<Option<String>, Status> {
        let missing = |resource, name: &str| Status::new_not_found(&GroupResource::new("", resource), name);
        let claim = self.cluster.get(&PERSISTENT_VOLUME_CLAIMS, namespace, name);
        let claim = claim.ok_or_else(|| missing("persistentvolumeclaim", name))?;
        let name = claim.text(["spec", "volumeName"]);
        let volume = self.cluster.get(&PERSISTENT_VOLUMES, "", name);
        let volume = volume.ok_or_else(|| missing("persistentvolume", name))?;
        Ok(volume.at("spec").and_then(driver_of_source))
    }

    fn has_audience(&self, driver: &str, audience: &str) -> Result<bool, Status> {
        let Some(driver) = self.cluster.get(&CSI_DRIVERS, "", driver) else {
            return Err(Status::new_not_found(&GroupResource::new("storage.k8s.io", "csidriver"), driver));
        };
        let requests = driver.list(["spec", "tokenRequests"]).iter();
        Ok(requests.into_iter().any(|request| request.text("audience") == audience))
    }
}

/// Returns the CSI driver that a volume names, or that replaced its type.
fn driver_of_source(source: &Value) -> Option<String> {
    let driver = match source.at("csi") {
        Some(csi) => csi.text("driver"),
        None => MIGRATED.iter().find(|(kind, _)| source.has(kind))?.1,
    };
    Some(driver.to_owned()).filter(|driver| !driver.is_empty())
}
