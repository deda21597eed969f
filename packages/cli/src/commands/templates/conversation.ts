import { readFile } from 'node:fs/promises'
import { fileFailure } from '@panoptes/engine/home'
import { check, type InjectInput, sessionBegan } from '@panoptes/schema'
import { asCommandFailure } from '../../failure.ts'
import { plain } from '../sessions/words.ts'
import { readInput } from './input.ts'
import { wrongUse } from './words.ts'

type Fields = Record<string, unknown>

/** What Claude Code tells a hook of a session that begins. */
interface HookPayload {
  readonly session_id: string
  /** What came before it. */
  readonly source: NonNullable<InjectInput['began']>
  readonly cwd: string | null
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isMessages = (value: unknown): value is readonly Fields[] =>
  Array.isArray(value) && value.every(isFields)

/** The conversation in a file, or on the standard input for `-`; none where nothing is said. */
export async function messagesFrom(place: string | undefined): Promise<readonly Fields[]> {
  if (place === undefined) return []
  const read = parsed(await textFrom(place), place)
  if (isMessages(read)) return read
  if (!isFields(read) || !isMessages(read.messages)) throw notMessages(place)
  const { system, messages } = read
  // The Messages API of Anthropic has what instructs beside the messages.
  const isSaid = typeof system === 'string' || isMessages(system)
  return isSaid ? [{ role: 'system', content: system }, ...messages] : messages
}

/** What a hook was told: where it is asked for, else where something is piped in and can be read as that. */
export async function payloadFrom(place: string | undefined): Promise<HookPayload | undefined> {
  if (place === undefined) {
    const text = await readInput(process.stdin, { patienceMs: 1_000 })
    try {
      return payloadOf(JSON.parse(text))
    } catch {
      return undefined
    }
  }
  const read = payloadOf(parsed(await textFrom(place), place))
  if (read) return read
  throw wrongUse(
    `${named(place)} is not what Claude Code tells a hook`,
    'It has to be a JSON object with session_id, source and cwd.',
  )
}

function payloadOf(value: unknown): HookPayload | undefined {
  if (!isFields(value)) return undefined
  const { session_id, source, cwd } = value
  if (typeof session_id !== 'string' || session_id === '') return undefined
  return {
    session_id,
    source: source === undefined ? 'startup' : beganOf(source),
    cwd: typeof cwd === 'string' ? cwd : null,
  }
}

/** Whatever else clients come to say, it is no session that begins. */
function beganOf(source: unknown): HookPayload['source'] {
  const checked = check(sessionBegan, source)
  return checked.ok ? checked.value : 'resume'
}

async function textFrom(place: string): Promise<string> {
  if (place === '-') return readInput(process.stdin)
  try {
    return await readFile(place, 'utf8')
  } catch (error) {
    throw asCommandFailure(fileFailure(error, place, 'read'))
  }
}

function parsed(text: string, place: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw wrongUse(`${named(place)} is not JSON`, 'Give a JSON array of messages.')
  }
}

const notMessages = (place: string) =>
  wrongUse(
    `${named(place)} has no messages in it`,
    'Give a JSON array of objects such as {"role": "user", "content": "…"}, or an object with such an array as messages.',
  )

const named = (place: string): string => (place === '-' ? 'What was piped in' : plain(place, 300))
