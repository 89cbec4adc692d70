{{/* The name of all objects. Names of services have no dots, names of releases may have them. */}}
{{- define "signet.name" -}}
{{- default .Release.Name .Values.nameOverride | replace "." "-" | trunc 52 | trimSuffix "-" -}}
{{- end }}

{{/* The labels that select the pods, which never change. */}}
{{- define "signet.selector" -}}
app.kubernetes.io/name: signet
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "signet.labels" -}}
{{ include "signet.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "signet.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "signet.name" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end }}

{{/* A probe with TLS: the gRPC probes of Kubernetes do not use TLS, so the command uses the Unix socket. */}}
{{- define "signet.socketProbe" -}}
exec:
  command: [signet, status, {{ . | quote }}, --address, "unix:/run/signet/signet.sock"]
{{- end }}
