import type { ChatErrorCode } from '@panoptes/schema'
import { type Fields, toFields, toText } from '../fields.ts'
import { classifyText, createFailure, type RunFailure, toSafeText } from '../run-failure.ts'
import { type Place, type Reply, readJson } from './http-client.ts'

/** Why Hermes did not begin, and after how long it may be asked again. */
export interface Refusal {
  readonly failed: RunFailure
  readonly status: number
  /** The error code of Hermes. */
  readonly code: string
  /** Milliseconds; null if a retry is useless. */
  readonly again: number | null
}

const READ_MS = 2_000
const DEFAULT_WAIT_MS = 1_000

/** Explains a response that is not an answer. */
export async function readRefusal(place: Place, reply: Reply): Promise<Refusal> {
  const { status, headers } = reply
  if (status >= 300 && status < 400) {
    reply.body.destroy()
    return { failed: createRedirectFailure(place, headers.location), status, code: '', again: null }
  }
  const body = (await readJson(reply, READ_MS)) ?? {}
  const error = toFields(body.error)
  const code = toText(error.code)
  const words = toSafeText(toText(error.message) || toText(body.message), place.key ?? undefined)
  const again = isBusy(status, code) ? parseRetryAfter(headers['retry-after']) : null
  return { failed: toFailure(place, status, code, words, again), status, code, again }
}

const isBusy = (status: number, code: string): boolean =>
  status === 429 || status === 503 || code === 'run_already_active'

/** Accepts seconds or a date. */
function parseRetryAfter(after: string | undefined): number {
  if (after === undefined || after.trim() === '') return DEFAULT_WAIT_MS
  const seconds = Number(after)
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1_000)
  const at = Date.parse(after)
  return Number.isNaN(at) ? DEFAULT_WAIT_MS : Math.max(0, at - Date.now())
}

function toFailure(
  { url, key }: Place,
  status: number,
  code: string,
  words: string,
  again: number | null,
): RunFailure {
  const suffix = words === '' ? '' : `: ${words}`
  if (status === 401 || status === 403)
    return createFailure(
      'unauthorized',
      key === null
        ? `Hermes at ${url} requires an API key${suffix}. In config.yaml, set runtimes.hermes.api_key_env to the variable that contains API_SERVER_KEY from ~/.hermes/.env.`
        : `Hermes at ${url} refused the API key${suffix}. Use API_SERVER_KEY from its ~/.hermes/.env.`,
    )
  if (status === 429)
    return createFailure(
      'rate_limited',
      `Hermes is at capacity${suffix}. Try again in ${Math.ceil((again ?? 0) / 1_000)} s.`,
    )
  if (code === 'run_already_active')
    return createFailure(
      'rate_limited',
      'Hermes is still answering an earlier message of this session. Try again in a moment.',
    )
  if (status === 503)
    return createFailure(
      'unreachable',
      `Hermes is not accepting messages now${suffix}. Try again in a moment.`,
    )
  const kind: ChatErrorCode = status === 413 ? 'too_long' : classifyText(words)
  return createFailure(kind, `Hermes at ${url} answered ${status}${suffix}.`, status >= 500)
}

const createRedirectFailure = ({ url }: Place, to: string | undefined): RunFailure =>
  createFailure(
    'not_configured',
    `${url} redirects${to ? ` (to ${to.slice(0, 200)})` : ''}. Panoptes does not follow redirects because that would send the key there. Set the correct address in config.yaml.`,
  )

/** Translates an error in the middle of an answer. */
export const toReportedFailure = (words: string, place: Place, error: Fields = {}): RunFailure => {
  const safe = toSafeText(words, place.key ?? undefined)
  return createFailure(
    classifyText(`${toText(error.code)} ${safe}`),
    `Hermes reported an error${safe ? `: ${safe}` : '.'}`,
  )
}
