{{- define "judge.labels" -}}
app.kubernetes.io/name: errorbar-judge
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "judge.claim" -}}
{{ .Values.storage.existingClaim | default (printf "%s-studies" .Release.Name) }}
{{- end }}

{{- define "judge.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "judge.containerSecurity" -}}
readOnlyRootFilesystem: true
allowPrivilegeEscalation: false
capabilities:
  drop: [ALL]
{{- end }}

{{- define "judge.probe" -}}
httpGet:
  path: /health
  port: http
  httpHeaders:
    - name: Host
      value: {{ .Values.host }}
{{- end }}
