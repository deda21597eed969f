import type { Message } from '@panoptes/schema'
import type { IndexedMessage } from './port.ts'

/** One row holds this many messages, which are few enough to unpack for a single one. */
export const PACK = 128

const LETTERS: Readonly<Record<Message['role'], string>> = {
  system: 's',
  user: 'u',
  assistant: 'a',
  tool: 't',
}
const ROLES = Object.fromEntries(Object.entries(LETTERS).map(([role, letter]) => [letter, role])) as Readonly<
  Record<string, Message['role']>
>

export type PackedMessage = Pick<IndexedMessage, 'id' | 'agent_id' | 'role' | 'ts'>

type Doc = readonly [
  ids: readonly string[],
  roles: string,
  /** The time since the previous message that has one. */
  times: readonly (number | null)[],
  /** A single name when all messages have the same agent. */
  agents: string | readonly string[],
]

/** Encodes each role as one letter. */
export const encodeRoles = (messages: readonly Pick<PackedMessage, 'role'>[]): string =>
  messages.map(({ role }) => LETTERS[role]).join('')

export const decodeRole = (letter: string | undefined): Message['role'] => ROLES[letter ?? ''] ?? 'system'

export function packMessages(messages: readonly PackedMessage[]): string {
  const first = messages[0]?.agent_id ?? ''
  const same = messages.every(({ agent_id }) => agent_id === first)
  let before = 0
  const doc: Doc = [
    messages.map(({ id }) => id),
    encodeRoles(messages),
    messages.map(({ ts }) => {
      if (ts === null) return null
      const since = ts - before
      before = ts
      return since
    }),
    same ? first : messages.map(({ agent_id }) => agent_id),
  ]
  return JSON.stringify(doc)
}

/** Returns SQL that counts the replies among these roles. */
export const countRepliesAmong = (roles: string): string =>
  `length(${roles}) - length(replace(${roles}, '${LETTERS.assistant}', ''))`

/** Returns SQL that counts the replies among the messages of a row. */
export const countReplies = (doc: string): string => countRepliesAmong(`${doc} ->> '$[1]'`)

/**
 * Reads the role of one message without parsing the rest. Ids are JSON strings, in which a quote never stands
 * unescaped.
 */
export const roleIn = (doc: string, at: number): Message['role'] =>
  decodeRole(doc.charAt(doc.indexOf('],"') + 3 + at))

export function unpacked(text: string): readonly PackedMessage[] {
  const [ids, roles, times, agents] = JSON.parse(text) as Doc
  let before = 0
  return ids.map((id, n) => {
    const since = times[n] ?? null
    if (since !== null) before += since
    return {
      id,
      agent_id: typeof agents === 'string' ? agents : (agents[n] ?? ''),
      role: decodeRole(roles[n]),
      ts: since === null ? null : before,
    }
  })
}
