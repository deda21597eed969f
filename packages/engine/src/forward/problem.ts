import type { ForwardProblem } from '@panoptes/schema'
import { clamp } from '@panoptes/schema/numbers'
import { hubName } from './hub-url.ts'

/** A failure between this computer and the hub, with how to react. */
export interface Trouble extends ForwardProblem {
  /** The hub asks to wait this long. */
  readonly afterMs?: number | undefined
  /** This is true when a proxy in front of the hub sent the answer. */
  readonly onTheWay?: boolean
  /** This is true when the hub failed while processing the body, so an event in it may be the reason. */
  readonly failedAt?: boolean
}

const TLS = /^(?:ERR_TLS|ERR_SSL|CERT_|EPROTO|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH)/
const UNKNOWN_NAME: ReadonlySet<string> = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL', 'EAI_NODATA'])

/** Explains an attempt that got no answer. */
export function unreachable(error: unknown, hub: URL, timeoutMs: number): Trouble {
  const cause = rootCause(error)
  const { code } = cause
  if (cause.name === 'TimeoutError')
    return trouble(
      'silent',
      `${hub.host} did not answer within ${Math.round(timeoutMs / 1_000)} s`,
      'Check whether the hub is overloaded or stuck.',
    )
  if (UNKNOWN_NAME.has(code))
    return trouble(
      'unreachable',
      `The host name ${hub.hostname} cannot be resolved (${code})`,
      'Check the address and the network.',
    )
  if (TLS.test(code))
    return trouble(
      'tls',
      `No secure connection to ${hub.host}: ${cause.message}`,
      'If the certificate comes from your own authority, set NODE_EXTRA_CA_CERTS to its file.',
    )
  if (code === 'ECONNREFUSED')
    return trouble(
      'unreachable',
      `Nothing answers at ${hub.host} (${code})`,
      'Check the address, and that the hub is running.',
    )
  const why = code === '' ? cause.message : code
  return trouble('unreachable', `The connection to ${hub.host} broke (${why})`, 'Check the network.')
}

interface Cause {
  readonly name: string
  readonly code: string
  readonly message: string
}

/**
 * Finds the innermost error, which names the cause. When several addresses were tried, the last one counts.
 */
function rootCause(error: unknown): Cause {
  if (!(error instanceof Error)) return { name: '', code: '', message: String(error) }
  if (error.name === 'TimeoutError') return { name: error.name, code: '', message: error.message }
  if (error instanceof AggregateError && error.errors.length > 0) return rootCause(error.errors.at(-1))
  if (error.cause !== undefined) return rootCause(error.cause)
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  return { name: error.name, code, message: error.message }
}

export interface Refusal {
  readonly status: number
  readonly detail: string
  /** The advice of the hub. */
  readonly advice: string
  /** The error code of the hub. */
  readonly code: string
  readonly byHub: boolean
  readonly retryAfter: string | null
}

const MAKE_ONE =
  'Create one on the hub with: panoptes team tokens create --label NAME --scope ingest. Then run: panoptes forward --to URL --token-file FILE'
const OR_A_MACHINE = `Or use a machine token, which does not depend on anyone's role. ${MAKE_ONE}`

/** Explains a refusal. */
export function refused({ status, detail, advice, code, byHub, retryAfter }: Refusal, hub: URL): Trouble {
  const suffix = detail === '' ? '' : `: ${detail}`
  if (status === 401)
    return trouble(
      'token',
      `${hub.host} does not accept the token${suffix}`,
      'Create another one on the hub, then run: panoptes forward --to URL --token-file FILE',
    )
  if (status === 403 && code === 'other_token')
    return trouble(
      'token',
      `${hub.host} accepts sessions of this computer only with another token${suffix}`,
      advice,
    )
  if (status === 403)
    return trouble(
      'token',
      `The token may not send events to ${hub.host}${suffix}`,
      code === 'wrong_role'
        ? `${advice} ${OR_A_MACHINE}`
        : `The token needs the scope ingest or full. ${MAKE_ONE}`,
    )
  if (status === 413 && byHub)
    return trouble('too_large', `${hub.host} does not accept bodies of this size`, '')
  if (status === 413)
    return {
      ...trouble(
        'too_large',
        `A proxy in front of the hub at ${hub.host} does not accept bodies of this size`,
        'Allow bodies of 16 MiB in the proxy, as the hub does (nginx: client_max_body_size 16m).',
      ),
      onTheWay: true,
    }
  if (byHub && (status === 400 || status === 422))
    return trouble('invalid', `${hub.host} refused the request${suffix}`, '')
  if (status === 429 || status === 503)
    return {
      ...trouble('busy', `${hub.host} is busy${suffix}`, 'No action needed: Panoptes retries.'),
      afterMs: parseRetryAfter(retryAfter, Date.now()),
    }
  if (status === 500 && byHub)
    return {
      ...trouble('busy', `${hub.host} failed${suffix}`, "Check the hub's log."),
      failedAt: true,
    }
  if (status >= 500) return trouble('busy', `${hub.host} answered ${status}${suffix}`, "Check the hub's log.")
  const place = `${hubName(hub)}/events`
  return trouble(
    'address',
    `${hub.host} answered ${status}${suffix}`,
    advice === ''
      ? `Check the address: it must be a hub that answers POST ${place}.`
      : `On the hub: ${advice}`,
  )
}

export const trouble = (kind: Trouble['kind'], message: string, next: string): Trouble => ({
  kind,
  message,
  next,
})

const MOST_WAIT_MS = 3_600_000

/** Parses the header as seconds or an HTTP date. Returns undefined when it is neither. */
export function parseRetryAfter(header: string | null, now: number): number | undefined {
  if (header === null || header.trim() === '') return undefined
  const seconds = Number(header)
  const ms = Number.isFinite(seconds) ? seconds * 1_000 : Date.parse(header) - now
  return Number.isFinite(ms) ? clamp(ms, 0, MOST_WAIT_MS) : undefined
}
