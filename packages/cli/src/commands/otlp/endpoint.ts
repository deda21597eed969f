import { usageFailure } from '../../failure.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** The collector from the options, or from the standard OpenTelemetry environment variables. */
export function resolveEndpoint(to: string | undefined, env: Environment): URL {
  const traces = env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT
  const base = env.OTEL_EXPORTER_OTLP_ENDPOINT
  if (to !== undefined) return withPath(parsed(to))
  if (traces) return parsed(traces)
  if (base) return parsed(`${base.replace(/\/+$/, '')}/v1/traces`)
  throw usageFailure('Missing --to or --file', 'For a collector on this computer: --to http://127.0.0.1:4318')
}

const withPath = (url: URL): URL => (url.pathname === '/' ? new URL('/v1/traces', url) : url)

function parsed(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw usageFailure(
      `${text} is not a valid URL`,
      'Use http:// or https://, for example http://127.0.0.1:4318',
    )
  if (url.username !== '' || url.password !== '')
    throw usageFailure(
      'The collector URL must not contain a password',
      'Pass it as a header: --header "authorization=Basic …"',
    )
  return url
}

/** Parses `name=value` headers, those from the environment first. */
export function parseHeaders(
  headerOptions: readonly string[],
  env: Environment,
): Readonly<Record<string, string>> {
  const ofEnvironment = (env.OTEL_EXPORTER_OTLP_TRACES_HEADERS ?? env.OTEL_EXPORTER_OTLP_HEADERS ?? '')
    .split(',')
    .filter((each) => each.trim() !== '')
    .map((each) => decoded(each))
  const headers: Record<string, string> = {}
  for (const each of [...ofEnvironment, ...headerOptions]) {
    const at = each.indexOf('=')
    const name = each.slice(0, at).trim().toLowerCase()
    const value = each.slice(at + 1).trim()
    if (at <= 0 || !/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name) || /[^\t\x20-\x7e]/.test(value))
      throw usageFailure(
        'A header needs the form name=value',
        'For example: --header "authorization=Bearer …"',
      )
    headers[name] = value
  }
  return headers
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
