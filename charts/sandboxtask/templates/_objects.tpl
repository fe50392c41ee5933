{{- /*
The chart has no object of its own. Each is one of manifests/, a link to the files that kustomize installs, read by
"sandboxtask.objects" and written by "sandboxtask.print"; between the two, the other templates change what values say.
*/ -}}

{{- /*
The objects in a file of manifests/, as a JSON list, in the namespaces of this release.
Call: include "sandboxtask.objects" (list $ "FILE")
*/ -}}
{{- define "sandboxtask.objects" -}}
{{- $root := index . 0 -}}
{{- $text := $root.Files.Get (printf "manifests/%s" (index . 1)) -}}
{{- $text = $text | replace "sandboxtask-system" $root.Release.Namespace -}}
{{- $text = $text | replace "namespace: sandboxtask-pods" (printf "namespace: %s" $root.Values.podNamespace.name) -}}
{{- $objects := list -}}
{{- range regexSplit "(?m)^---$" $text -1 -}}
{{- $objects = append $objects (fromYaml .) -}}
{{- end -}}
{{- toJson $objects -}}
{{- end -}}

{{- /*
An object as a document, with Helm's labels and the common ones.
Call: include "sandboxtask.print" (list $ OBJECT)
*/ -}}
{{- define "sandboxtask.print" -}}
{{- $root := index . 0 -}}
{{- $object := index . 1 -}}
{{- $helm := dict "app.kubernetes.io/managed-by" $root.Release.Service "app.kubernetes.io/instance" $root.Release.Name -}}
{{- $helm = set $helm "helm.sh/chart" (printf "%s-%s" $root.Chart.Name $root.Chart.Version | replace "+" "_") -}}
{{- $_ := set $object.metadata "labels" (merge $object.metadata.labels $helm $root.Values.commonLabels) -}}
{{- with $root.Values.commonAnnotations -}}
{{- $_ := set $object.metadata "annotations" (merge ($object.metadata.annotations | default dict) .) -}}
{{- end }}
---
{{ toYaml $object }}
{{- end -}}

{{- /*
The name of an image.
Call: include "sandboxtask.image" (list $ VALUES)
*/ -}}
{{- define "sandboxtask.image" -}}
{{- $root := index . 0 -}}
{{- with index . 1 -}}
{{- .registry }}/{{ .repository }}{{ if .digest }}@{{ .digest }}{{ else }}:{{ .tag | default $root.Chart.AppVersion }}{{ end }}
{{- end -}}
{{- end -}}

{{- /* The RuntimeClasses that sandboxes may have, as a JSON list. */ -}}
{{- define "sandboxtask.runtimeClassNames" -}}
{{- prepend .Values.runtimeClass.others .Values.runtimeClass.name | uniq | toJson -}}
{{- end -}}
