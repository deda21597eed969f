import { type Check, ok, warning } from './check.ts'

/** Variables that change what Panoptes does. Only those that hold a plain path or switch are shown with their value. */
const SHOWN = [
  'PANOPTES_HOME',
  'HERMES_HOME',
  'CLAUDE_CONFIG_DIR',
  'CODEX_HOME',
  'XDG_DATA_HOME',
  'PANOPTES_DEBUG',
  'NO_COLOR',
  'CI',
]
const NAMED = [
  'NODE_OPTIONS',
  'NODE_EXTRA_CA_CERTS',
  'NODE_USE_ENV_PROXY',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'http_proxy',
  'https_proxy',
  'OLLAMA_HOST',
]

export const environmentCheck: Check = {
  id: 'environment',
  title: 'Environment',
  run: ({ env }) => {
    const isSet = (name: string) => (env[name] ?? '') !== ''
    const shown = SHOWN.filter(isSet).map((name) => `${name}=${env[name]}`)
    const named = NAMED.filter(isSet).map((name) => `${name} is set`)
    const detail = [...shown, ...named].join(', ') || 'Nothing that changes what Panoptes does'
    if (env.KEI_GRAPH_STREAM_BYPASS === '1') {
      return warning(
        detail,
        'KEI_GRAPH_STREAM_BYPASS=1: panoptes up ends at once',
        'Unset it to start Panoptes: unset KEI_GRAPH_STREAM_BYPASS',
      )
    }
    if (
      isSet('NODE_USE_ENV_PROXY') &&
      !/127\.0\.0\.1|localhost|\*/.test(env.NO_PROXY ?? env.no_proxy ?? '')
    ) {
      const cause = 'Requests to this computer would go through the proxy'
      return warning(detail, cause, 'Set NO_PROXY=127.0.0.1,localhost')
    }
    return ok(detail)
  },
}
