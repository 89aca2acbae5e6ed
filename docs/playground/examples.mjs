// What a visitor can click: each shows one thing that a server does.

const pod = (name, spec) => `apiVersion: v1
kind: Pod
metadata: {name: ${name}, namespace: shop}
spec:
${spec}`;

const namespace = (labels = "") => `apiVersion: v1
kind: Namespace
metadata:
  name: shop
${labels}`;

const deployment = (replicas, container) => `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  replicas: ${replicas}
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: web
        image: registry.example.com/web:1.4
${container}`;

export const examples = [
  {
    name: "restricted",
    flags: "",
    cluster: namespace("  labels:\n    pod-security.kubernetes.io/enforce: restricted\n"),
    manifests: deployment(2, "        ports: [{containerPort: 8080}]\n"),
  },
  {
    name: "quota",
    flags: "",
    cluster: `${namespace()}---
apiVersion: v1
kind: ResourceQuota
metadata: {name: compute, namespace: shop}
spec:
  hard: {pods: "4", requests.cpu: "1"}
`,
    manifests: deployment(3, "        resources: {requests: {cpu: 400m}}\n"),
  },
  {
    name: "LimitRange",
    flags: "",
    cluster: `${namespace()}---
apiVersion: v1
kind: LimitRange
metadata: {name: sizes, namespace: shop}
spec:
  limits:
  - type: Container
    default: {cpu: 500m, memory: 256Mi}
    max: {cpu: "2"}
`,
    manifests: `${pod("small", "  containers:\n  - name: web\n    image: registry.example.com/web:1.4\n")}---
${pod("large", "  containers:\n  - name: web\n    image: registry.example.com/web:1.4\n    resources: {limits: {cpu: 4}}\n")}`,
  },
  {
    name: "a policy in CEL",
    flags: "",
    cluster: `${namespace()}---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: few-replicas}
spec:
  matchConstraints:
    resourceRules:
    - apiGroups: [apps]
      apiVersions: [v1]
      operations: [CREATE, UPDATE]
      resources: [deployments]
  variables:
  - name: most
    expression: "namespaceObject.metadata.name == 'shop' ? 3 : 10"
  validations:
  - expression: object.spec.replicas <= variables.most
    messageExpression: "'at most ' + string(variables.most) + ' replicas'"
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: few-replicas}
spec:
  policyName: few-replicas
  validationActions: [Deny]
`,
    manifests: deployment(5, ""),
    expression: "object.spec.replicas <= 3",
  },
  {
    name: "SCC",
    flags: "--distribution=openshift\n--authorization-mode=RBAC\n",
    cluster: "",
    manifests: pod(
      "debug",
      "  hostNetwork: true\n  containers:\n  - name: debug\n    image: registry.example.com/debug:2\n    securityContext: {privileged: true}\n",
    ),
  },
  {
    name: "1.20 PodSecurityPolicy",
    flags: "--kubernetes-version=1.20\n--enable-admission-plugins=PodSecurityPolicy\n",
    cluster: `${namespace()}---
apiVersion: policy/v1beta1
kind: PodSecurityPolicy
metadata: {name: restricted}
spec:
  privileged: false
  runAsUser: {rule: MustRunAsNonRoot}
  seLinux: {rule: RunAsAny}
  fsGroup: {rule: RunAsAny}
  supplementalGroups: {rule: RunAsAny}
  volumes: [configMap, secret, emptyDir]
`,
    manifests: `${pod("web", "  containers:\n  - name: web\n    image: registry.example.com/web:1.4\n")}---
${pod("debug", "  containers:\n  - name: debug\n    image: registry.example.com/debug:2\n    securityContext: {privileged: true}\n")}`,
  },
  {
    name: "upgrade",
    flags: "--kubernetes-version=1.37\n",
    cluster: namespace(),
    manifests: `# Choose 1.24 in the menu: there it is admitted.
apiVersion: policy/v1beta1
kind: PodDisruptionBudget
metadata: {name: web, namespace: shop}
spec:
  minAvailable: 1
  selector: {matchLabels: {app: web}}
---
apiVersion: autoscaling/v2beta2
kind: HorizontalPodAutoscaler
metadata: {name: web, namespace: shop}
spec:
  maxReplicas: 5
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
`,
  },
];
