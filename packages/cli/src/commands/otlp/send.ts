import { setTimeout as wait } from 'node:timers/promises'
import { fromProtobuf, type TracesRequest, type TracesResponse, toProtobuf } from '@panoptes/engine/otlp'
import { CommandFailure, usageFailure } from '../../failure.ts'

export type Protocol = 'http/json' | 'http/protobuf'

export interface SendOptions {
  readonly to: URL
  readonly protocol: Protocol
  readonly headers: Readonly<Record<string, string>>
  readonly signal: AbortSignal
  /** The first delay. It doubles with every retry. */
  readonly firstWaitMs?: number
  /** A temporary failure: the reason, the delay, and the number of the next attempt. */
  readonly onRetry?: (failed: string, waitMs: number, next: number, tries: number) => void
}

/** The number of rejected spans and the reason. */
export interface SendResult {
  readonly rejected: number
  readonly problem: string | null
}

const TRIES = 6
const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 60_000
const ANSWER_MS = 30_000
/** Status codes that may succeed on a retry. */
const TEMPORARY: ReadonlySet<number> = new Set([408, 429, 502, 503, 504])
const TYPES: Readonly<Record<Protocol, string>> = {
  'http/json': 'application/json',
  'http/protobuf': 'application/x-protobuf',
}

/** Sends one request. Temporary failures are retried after the delay the collector asks for. */
export async function send(request: TracesRequest, options: SendOptions): Promise<SendResult> {
  const { protocol, to, headers, signal, firstWaitMs = FIRST_WAIT_MS } = options
  const body =
    protocol === 'http/json' ? JSON.stringify(request) : new Uint8Array(toProtobuf('TracesRequest', request))
  let failed = ''
  for (let tries = 0; tries < TRIES; tries += 1) {
    signal.throwIfAborted()
    const reply = await fetch(to, {
      method: 'POST',
      body,
      headers: { ...headers, 'content-type': TYPES[protocol] },
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]),
    }).catch((error: unknown) =>
      isTemporary(error) ? causeMessage(error) : new PermanentError(causeMessage(error)),
    )
    signal.throwIfAborted()
    if (reply instanceof PermanentError) throw unreachable(to, reply.why, 'Check the URL.')
    if (typeof reply !== 'string') {
      if (reply.ok) return readResult(reply, protocol)
      const message = await readErrorMessage(reply, protocol)
      if (!TEMPORARY.has(reply.status)) throw rejectedFailure(to, reply.status, message)
      failed = `${reply.status} ${message}`.trim()
    } else failed = reply
    if (tries === TRIES - 1) break
    const retryAfterMs = typeof reply === 'string' ? undefined : retryAfter(reply)
    const backoff = firstWaitMs * 2 ** tries * (0.75 + Math.random() / 2)
    const waitMs = Math.min(LONGEST_WAIT_MS, retryAfterMs ?? backoff)
    options.onRetry?.(failed, waitMs, tries + 2, TRIES)
    await wait(waitMs, undefined, { signal })
  }
  throw unreachable(
    to,
    failed,
    'Check that a collector is running there, then run the same command again. Sessions that already arrived produce the same traces.',
  )
}

const unreachable = (to: URL, why: string, next: string): CommandFailure =>
  new CommandFailure(`${to.href} does not accept spans: ${why}`, { code: 'unreachable', next })

/** Failures that a retry cannot fix: a blocked address or a redirect. */
class PermanentError {
  readonly why: string
  constructor(why: string) {
    this.why = why
  }
}

/** A failed connection has an error code. Without one, the client refused the request or got a redirect. */
function isTemporary(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error.name === 'TimeoutError') return true
  const { code } = (error.cause ?? {}) as NodeJS.ErrnoException
  return typeof code === 'string' && !/CERT|^ERR_(?:SSL|TLS|INVALID)|SELF_SIGNED/.test(code)
}

const causeMessage = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? error.cause.message : error.message
}

function retryAfter(reply: Response): number | undefined {
  const header = reply.headers.get('retry-after')
  if (header === null) return undefined
  const ms = /^\d{1,6}$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now()
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}

async function readResult(reply: Response, protocol: Protocol): Promise<SendResult> {
  const bytes = new Uint8Array(await reply.arrayBuffer())
  const { partialSuccess } = protocol === 'http/json' ? fromJson(bytes) : fromBinary(bytes)
  const rejected = Number(partialSuccess?.rejectedSpans ?? 0)
  return {
    rejected: Number.isFinite(rejected) ? rejected : 0,
    problem: partialSuccess?.errorMessage || null,
  }
}

function fromJson(bytes: Uint8Array): TracesResponse {
  try {
    return (JSON.parse(Buffer.from(bytes).toString('utf8')) as TracesResponse | null) ?? {}
  } catch {
    return {}
  }
}

function fromBinary(bytes: Uint8Array): TracesResponse {
  const read = fromProtobuf('TracesResponse', bytes)
  return read.ok ? read.value : {}
}

/** Reads the reason for a rejection: a status in the encoding of the request, or plain text. */
async function readErrorMessage(reply: Response, protocol: Protocol): Promise<string> {
  const bytes = new Uint8Array(await reply.arrayBuffer().catch(() => new ArrayBuffer(0))).slice(0, 4_096)
  if (protocol === 'http/protobuf') {
    const read = fromProtobuf('RpcStatus', bytes)
    if (read.ok && read.value.message) return read.value.message
  }
  const text = Buffer.from(bytes).toString('utf8')
  try {
    const { message, detail } = JSON.parse(text) as { message?: unknown; detail?: unknown }
    return String(message ?? detail ?? '')
  } catch {
    return /^[\x20-\x7e\s]*$/.test(text) ? text.slice(0, 200).trim() : ''
  }
}

const rejectedFailure = (to: URL, status: number, message: string): CommandFailure =>
  new CommandFailure(`${to.href} rejected the spans with ${status}${message === '' ? '' : `: ${message}`}`, {
    code: `http_${status}`,
    next:
      status === 401 || status === 403
        ? 'Add a token, for example: --header "authorization=Bearer …"'
        : 'Check the URL; collectors accept traces at /v1/traces. Some support only one of --protocol http/json and http/protobuf.',
  })

type Environment = Readonly<Record<string, string | undefined>>

/** The collector from the options, or from the standard OpenTelemetry environment variables. */
export function resolveEndpoint(to: string | undefined, env: Environment): URL {
  const traces = env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT
  const base = env.OTEL_EXPORTER_OTLP_ENDPOINT
  if (to !== undefined) return withPath(parseEndpoint(to))
  if (traces) return parseEndpoint(traces)
  if (base) return parseEndpoint(`${base.replace(/\/+$/, '')}/v1/traces`)
  throw usageFailure('Missing --to or --file', 'For a collector on this computer: --to http://127.0.0.1:4318')
}

const withPath = (url: URL): URL => (url.pathname === '/' ? new URL('/v1/traces', url) : url)

function parseEndpoint(text: string): URL {
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
    .map((each) => decodeHeader(each))
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

function decodeHeader(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
