const password = Buffer.from("open sesame").toString("base64");

/** The files of a manifest with twelve documents that cannot be applied in the given order. */
export const campFiles: Readonly<Record<string, string>> = {
  "1-rights.yaml": `# Who may look at the camp.
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: { name: camp-viewer }
rules:
  - apiGroups: [camp.example.com]
    resources: [tents]
    verbs: [get, list]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: { name: camp-viewer }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: camp-viewer }
subjects:
  - { kind: ServiceAccount, name: viewer, namespace: camp }
---
apiVersion: v1
kind: ServiceAccount
metadata: { name: viewer }
`,
  "2-settings.json": JSON.stringify(
    {
      apiVersion: "v1",
      kind: "List",
      items: [
        { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "rules" }, data: { quiet: "22:00" } },
        { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "map", namespace: "camp" }, data: { hill: "west" } },
        { apiVersion: "v1", kind: "Secret", metadata: { name: "gate" }, data: { password } },
      ],
    },
    null,
    "\t",
  ),
  "3-objects.yaml": `apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: { name: keeper }
rules:
  - { apiGroups: [""], resources: [configmaps], verbs: [get] }
---
apiVersion: v1
kind: Service
metadata: { name: kitchen, labels: &labels { app: kitchen } }
spec:
  selector: *labels
  ports:
    # Server-side apply of a port without protocol fails in this version of the API server.
    - { port: 80, protocol: TCP, targetPort: 8080 }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: kitchen }
spec:
  replicas: 1
  selector: { matchLabels: { app: kitchen } }
  template:
    metadata: { creationTimestamp: null, labels: { app: kitchen } }
    spec:
      containers:
        - name: cook
          image: cook:1
          ports: [{ containerPort: 8080 }]
          volumeMounts: [{ name: recipes, mountPath: /recipes }]
      volumes:
        - name: recipes
          configMap: { name: rules, defaultMode: 0644 }
---
# Nothing here.
---
apiVersion: camp.example.com/v1
kind: Tent
metadata: { name: blue }
spec: { size: 3 }
`,
  "4-first.yml": `---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: tents.camp.example.com }
spec:
  group: camp.example.com
  scope: Namespaced
  names: { plural: tents, singular: tent, kind: Tent, listKind: TentList }
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              properties:
                size: { type: integer, maximum: 9 }
---
apiVersion: v1
kind: Namespace
metadata: { name: camp }
`,
};
