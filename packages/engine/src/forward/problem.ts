import type { ForwardProblem } from '@panoptes/schema'
import { nameOf } from './hub-url.ts'

/** What went wrong between here and the hub, and how it is met. */
export interface Trouble extends ForwardProblem {
  /** How long the hub asks to be left alone. */
  readonly afterMs?: number | undefined
  /** Said by somebody between here and the hub. */
  readonly onTheWay?: boolean
  /** The hub failed at what it was sent: something in it may be the reason. */
  readonly failedAt?: boolean
}

const TLS = /^(?:ERR_TLS|ERR_SSL|CERT_|EPROTO|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH)/
const UNKNOWN_NAME: ReadonlySet<string> = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL', 'EAI_NODATA'])

/** What an attempt that got no answer ended with. */
export function unreachable(error: unknown, hub: URL, patienceMs: number): Trouble {
  const cause = causeOf(error)
  const { code } = cause
  if (cause.name === 'TimeoutError')
    return trouble(
      'silent',
      `${hub.host} did not answer within ${Math.round(patienceMs / 1_000)} s`,
      'Look whether the hub is overloaded or stuck.',
    )
  if (UNKNOWN_NAME.has(code))
    return trouble(
      'unreachable',
      `The name ${hub.hostname} is not known here (${code})`,
      'Check the address and the network.',
    )
  if (TLS.test(code))
    return trouble(
      'tls',
      `The connection to ${hub.host} cannot be made safe: ${cause.message}`,
      'If the certificate is of an authority of your own, name its file in NODE_EXTRA_CA_CERTS.',
    )
  if (code === 'ECONNREFUSED')
    return trouble(
      'unreachable',
      `Nothing answers at ${hub.host} (${code})`,
      'Check the address, and that the hub runs.',
    )
  const why = code === '' ? cause.message : code
  return trouble('unreachable', `The connection to ${hub.host} broke (${why})`, 'Check the network.')
}

interface Cause {
  readonly name: string
  readonly code: string
  readonly message: string
}

/** The innermost error says what happened; where several addresses were tried, that of the last. */
function causeOf(error: unknown): Cause {
  if (!(error instanceof Error)) return { name: '', code: '', message: String(error) }
  if (error.name === 'TimeoutError') return { name: error.name, code: '', message: error.message }
  if (error instanceof AggregateError && error.errors.length > 0) return causeOf(error.errors.at(-1))
  if (error.cause !== undefined) return causeOf(error.cause)
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  return { name: error.name, code, message: error.message }
}

export interface Refusal {
  readonly status: number
  readonly said: string
  /** What the hub says to do about it. */
  readonly advice: string
  /** What the hub calls it. */
  readonly code: string
  readonly byHub: boolean
  readonly retryAfter: string | null
}

const MAKE_ONE =
  'Make one on the hub with: panoptes team tokens create --label NAME --scope ingest. Then: panoptes forward --to URL --token-file FILE'
const OR_A_MACHINE = `Or take a token of a machine, which needs nobody's role. ${MAKE_ONE}`

/** What a refusal means. */
export function refused({ status, said, advice, code, byHub, retryAfter }: Refusal, hub: URL): Trouble {
  const told = said === '' ? '' : `: ${said}`
  if (status === 401)
    return trouble(
      'token',
      `${hub.host} does not know the token${told}`,
      'Make another one on the hub, then: panoptes forward --to URL --token-file FILE',
    )
  if (status === 403 && code === 'other_token')
    return trouble(
      'token',
      `${hub.host} takes the sessions of this computer with another token${told}`,
      advice,
    )
  if (status === 403)
    return trouble(
      'token',
      `The token may not send events to ${hub.host}${told}`,
      code === 'wrong_role' ? `${advice} ${OR_A_MACHINE}` : `It needs the scope ingest or full. ${MAKE_ONE}`,
    )
  if (status === 413 && byHub) return trouble('too_large', `${hub.host} takes no bodies of this size`, '')
  if (status === 413)
    return {
      ...trouble(
        'too_large',
        `Something before the hub at ${hub.host} takes no bodies of this size`,
        'Have the proxy there take bodies of 16 MiB, as the hub does (nginx: client_max_body_size 16m).',
      ),
      onTheWay: true,
    }
  if (byHub && (status === 400 || status === 422))
    return trouble('invalid', `${hub.host} refuses it${told}`, '')
  if (status === 429 || status === 503)
    return {
      ...trouble('busy', `${hub.host} is busy${told}`, 'Nothing is to be done: it is sent again.'),
      afterMs: waitOf(retryAfter, Date.now()),
    }
  if (status === 500 && byHub)
    return {
      ...trouble('busy', `${hub.host} failed${told}`, "Look into the hub's own log."),
      failedAt: true,
    }
  if (status >= 500)
    return trouble('busy', `${hub.host} answered ${status}${told}`, "Look into the hub's own log.")
  const place = `${nameOf(hub)}/events`
  return trouble(
    'address',
    `${hub.host} answered ${status}${told}`,
    advice === '' ? `Check the address: POST ${place} has to be a hub's.` : `On the hub: ${advice}`,
  )
}

export const trouble = (kind: Trouble['kind'], message: string, next: string): Trouble => ({
  kind,
  message,
  next,
})

const MOST_WAIT_MS = 3_600_000

/** Seconds or a date, as HTTP has it; nothing where it is neither. */
export function waitOf(header: string | null, now: number): number | undefined {
  if (header === null || header.trim() === '') return undefined
  const seconds = Number(header)
  const ms = Number.isFinite(seconds) ? seconds * 1_000 : Date.parse(header) - now
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), MOST_WAIT_MS) : undefined
}
