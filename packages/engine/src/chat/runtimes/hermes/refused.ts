import type { ChatErrorCode } from '@panoptes/schema'
import { codeInWords, type Failed, failedWith, safeWords } from '../failed.ts'
import { type Fields, fieldsOf, textOf } from '../fields.ts'
import { jsonOf, type Place, type Reply } from './wire.ts'

/** Why Hermes did not begin, and after how long it may be asked again. */
export interface Refused {
  readonly failed: Failed
  readonly status: number
  /** As Hermes names it. */
  readonly code: string
  /** Milliseconds; null where asking again is of no use. */
  readonly again: number | null
}

const READ_MS = 2_000
const USUAL_WAIT_MS = 1_000

/** What an answer says that is none. */
export async function refusedBy(place: Place, reply: Reply): Promise<Refused> {
  const { status, headers } = reply
  if (status >= 300 && status < 400) {
    reply.body.destroy()
    return { failed: sentElsewhere(place, headers.location), status, code: '', again: null }
  }
  const told = (await jsonOf(reply, READ_MS)) ?? {}
  const error = fieldsOf(told.error)
  const code = textOf(error.code)
  const words = safeWords(textOf(error.message) || textOf(told.message), place.key ?? undefined)
  const again = isBusy(status, code) ? waitOf(headers['retry-after']) : null
  return { failed: failureOf(place, status, code, words, again), status, code, again }
}

const isBusy = (status: number, code: string): boolean =>
  status === 429 || status === 503 || code === 'run_already_active'

/** Seconds, or a date. */
function waitOf(after: string | undefined): number {
  if (after === undefined || after.trim() === '') return USUAL_WAIT_MS
  const seconds = Number(after)
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1_000)
  const at = Date.parse(after)
  return Number.isNaN(at) ? USUAL_WAIT_MS : Math.max(0, at - Date.now())
}

function failureOf(
  { url, key }: Place,
  status: number,
  code: string,
  words: string,
  again: number | null,
): Failed {
  const said = words === '' ? '' : `: ${words}`
  if (status === 401 || status === 403)
    return failedWith(
      'unauthorized',
      key === null
        ? `Hermes at ${url} wants a key${said}. Name the variable that has API_SERVER_KEY of ~/.hermes/.env as runtimes.hermes.api_key_env in config.yaml.`
        : `Hermes at ${url} refuses the key${said}. It has to be API_SERVER_KEY of its ~/.hermes/.env.`,
    )
  if (status === 429)
    return failedWith(
      'rate_limited',
      `Hermes is at work on as much as it takes${said}. Ask again in ${Math.ceil((again ?? 0) / 1_000)} s.`,
    )
  if (code === 'run_already_active')
    return failedWith(
      'rate_limited',
      'Hermes is still at an earlier message of this session. Ask again soon.',
    )
  if (status === 503) return failedWith('unreachable', `Hermes takes nothing now${said}. Ask again soon.`)
  const kind: ChatErrorCode = status === 413 ? 'too_long' : codeInWords(words)
  return failedWith(kind, `Hermes at ${url} answered ${status}${said}.`, status >= 500)
}

const sentElsewhere = ({ url }: Place, to: string | undefined): Failed =>
  failedWith(
    'not_configured',
    `${url} sends elsewhere${to ? ` (${to.slice(0, 200)})` : ''}, which is not followed, as the key would go there. Write the right address into config.yaml.`,
  )

/** What an error of Hermes says in the middle of an answer. */
export const toldFailure = (words: string, place: Place, told: Fields = {}): Failed => {
  const safe = safeWords(words, place.key ?? undefined)
  return failedWith(
    codeInWords(`${textOf(told.code)} ${safe}`),
    `Hermes gave an error${safe ? `: ${safe}` : '.'}`,
  )
}
