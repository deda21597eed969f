import { EXIT } from '../../exit-codes.ts'
import { CommandFailure } from '../../failure.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Where spans go: as it is said, else as every OpenTelemetry program is told by its environment. */
export function endpointOf(to: string | undefined, env: Environment): URL {
  const traces = env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT
  const base = env.OTEL_EXPORTER_OTLP_ENDPOINT
  if (to !== undefined) return withPath(parsed(to))
  if (traces) return parsed(traces)
  if (base) return parsed(`${base.replace(/\/+$/, '')}/v1/traces`)
  throw usage(
    'Where to? Give --to with the address of a collector, or --file',
    'A collector on this computer: --to http://127.0.0.1:4318',
  )
}

const withPath = (url: URL): URL => (url.pathname === '/' ? new URL('/v1/traces', url) : url)

function parsed(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw usage(`${text} is no address`, 'It begins with http:// or https://, such as http://127.0.0.1:4318')
  if (url.username !== '' || url.password !== '')
    throw usage(
      'An address with a password in it is not used',
      'Give it as a header: --header "authorization=Basic …"',
    )
  return url
}

/** `name=value`, as often as wanted; those of the environment first. */
export function headersOf(told: readonly string[], env: Environment): Readonly<Record<string, string>> {
  const ofEnvironment = (env.OTEL_EXPORTER_OTLP_TRACES_HEADERS ?? env.OTEL_EXPORTER_OTLP_HEADERS ?? '')
    .split(',')
    .filter((each) => each.trim() !== '')
    .map((each) => decoded(each))
  const headers: Record<string, string> = {}
  for (const each of [...ofEnvironment, ...told]) {
    const at = each.indexOf('=')
    const name = each.slice(0, at).trim().toLowerCase()
    const value = each.slice(at + 1).trim()
    if (at <= 0 || !/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name) || /[^\t\x20-\x7e]/.test(value))
      throw usage('A header is written as name=value', 'For example: --header "authorization=Bearer …"')
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

const usage = (message: string, next: string): CommandFailure =>
  new CommandFailure(message, { code: 'usage', next, exit: EXIT.usage })
