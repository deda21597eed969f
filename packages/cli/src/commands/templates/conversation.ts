import { readFile } from 'node:fs/promises'
import { fileFailure } from '@panoptes/engine/home'
import { check } from '@panoptes/schema'
import { z } from 'zod'
import { asCommandFailure } from '../../failure.ts'
import { plain } from '../sessions/words.ts'
import { readInput } from './input.ts'
import { wrongUse } from './words.ts'

type Message = Record<string, unknown>

const messages = z.array(z.record(z.string(), z.unknown()))
/** As the Messages API of Anthropic takes it, where what instructs stands beside the messages. */
const conversation = z.looseObject({
  messages,
  system: z.union([z.string(), messages]).optional(),
})

/** What Claude Code tells a hook of a session that begins. */
const payload = z.looseObject({
  session_id: z.string().min(1),
  source: z.string().default('startup'),
  cwd: z.string().nullable().default(null),
})
type HookPayload = z.output<typeof payload>

/** The conversation in a file, or on the standard input for `-`; none where nothing is said. */
export async function messagesFrom(place: string | undefined): Promise<readonly Message[]> {
  if (place === undefined) return []
  const read = parsed(await textFrom(place), place)
  const list = check(messages, read)
  if (list.ok) return list.value
  const whole = check(conversation, read)
  if (!whole.ok) throw notMessages(place)
  const { system, messages: spoken } = whole.value
  return system === undefined ? spoken : [{ role: 'system', content: system }, ...spoken]
}

/** What a hook was told: where it is asked for, else where something is piped in and can be read as that. */
export async function payloadFrom(
  place: string | undefined,
  input: NodeJS.ReadStream = process.stdin,
): Promise<HookPayload | undefined> {
  if (place !== undefined) {
    const read = check(payload, parsed(await textFrom(place), place))
    if (read.ok) return read.value
    throw wrongUse(
      `${named(place)} is not what Claude Code tells a hook`,
      'It has to be a JSON object with session_id, source and cwd.',
    )
  }
  const text = await readInput(input, { patienceMs: 1_000 })
  try {
    const read = check(payload, JSON.parse(text))
    return read.ok ? read.value : undefined
  } catch {
    return undefined
  }
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
