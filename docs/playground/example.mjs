export const flags = `# Flags of kube-apiserver, one per line
--kubernetes-version=1.36
`;

export const cluster = `apiVersion: v1
kind: Namespace
metadata:
  name: shop
  labels:
    pod-security.kubernetes.io/enforce: baseline
---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata:
  name: fast
  annotations: {storageclass.kubernetes.io/is-default-class: "true"}
provisioner: csi.example.com
---
apiVersion: v1
kind: LimitRange
metadata: {name: container-sizes, namespace: shop}
spec:
  limits:
  - type: Container
    default: {cpu: 500m, memory: 256Mi}
    max: {cpu: "2"}
`;

export const manifests = `apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: orders, namespace: shop}
spec:
  accessModes: [ReadWriteOnce]
  resources: {requests: {storage: 20Gi}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: agent, namespace: shop}
spec:
  replicas: 2
  selector: {matchLabels: {app: agent}}
  template:
    metadata: {labels: {app: agent}}
    spec:
      hostNetwork: true
      containers:
      - name: agent
        image: registry.example.com/agent:1.4
`;
