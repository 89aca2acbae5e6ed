// The tables of OpenShift's types, one per Go package.
/// The tables of OpenShift's types, one per Go package.
pub(super) static OPENSHIFT_FILES: [File; 17] = [
    File::new("apiserver.openshift.io", "openshift/apiserver/v1", include_str!("fields/apiserver.v1.txt")),
    File::new("apps.openshift.io", "openshift/apps/v1", include_str!("fields/apps.v1.txt")),
    File::new("authorization.openshift.io", "openshift/authorization/v1", include_str!("fields/authorization.v1.txt")),
    File::new("build.openshift.io", "openshift/build/v1", include_str!("fields/build.v1.txt")),
    File::new("config.openshift.io", "openshift/config/v1", include_str!("fields/config.v1.txt")),
    File::of_configuration("openshift/docker/v1", include_str!("fields/docker.v1.txt")),
    File::new("image.openshift.io", "openshift/image/v1", include_str!("fields/image.v1.txt")),
    File::new("operator.openshift.io", "openshift/operator/v1", include_str!("fields/operator.v1.txt")),
    File::of_configuration("openshift/origin/v1", include_str!("fields/origin.v1.txt")),
    File::of_configuration("openshift/origin3/v1", include_str!("fields/origin3.v1.txt")),
    File::of_configuration("openshift/plugins/v1", include_str!("fields/plugins.v1.txt")),
    File::new("project.openshift.io", "openshift/project/v1", include_str!("fields/project.v1.txt")),
    File::new("quota.openshift.io", "openshift/quota/v1", include_str!("fields/quota.v1.txt")),
    File::new("route.openshift.io", "openshift/route/v1", include_str!("fields/route.v1.txt")),
    File::new("security.openshift.io", "openshift/security/v1", include_str!("fields/security.v1.txt")),
    File::new("template.openshift.io", "openshift/template/v1", include_str!("fields/template.v1.txt")),
    File::new("user.openshift.io", "openshift/user/v1", include_str!("fields/user.v1.txt")),
];
