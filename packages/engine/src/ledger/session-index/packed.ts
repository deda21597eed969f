import type { Message } from '@panoptes/schema'
import type { IndexedMessage } from './port.ts'

/** Messages that are kept in one row: few enough to be unpacked for a single one. */
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
  /** Since the one before that has a time. */
  times: readonly (number | null)[],
  /** One name where all are of the same. */
  agents: string | readonly string[],
]

/** A letter for each. */
export const rolesOf = (messages: readonly Pick<PackedMessage, 'role'>[]): string =>
  messages.map(({ role }) => LETTERS[role]).join('')

export const roleOf = (letter: string | undefined): Message['role'] => ROLES[letter ?? ''] ?? 'system'

export function packed(messages: readonly PackedMessage[]): string {
  const first = messages[0]?.agent_id ?? ''
  const same = messages.every(({ agent_id }) => agent_id === first)
  let before = 0
  const doc: Doc = [
    messages.map(({ id }) => id),
    rolesOf(messages),
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

/** SQL: how many of these are replies. */
export const repliesAmong = (roles: string): string =>
  `length(${roles}) - length(replace(${roles}, '${LETTERS.assistant}', ''))`

/** SQL: how many of the messages in a row are. */
export const repliesIn = (doc: string): string => repliesAmong(`${doc} ->> '$[1]'`)

/** The role of one of them, without the rest: ids are texts, in which no quote stands by itself. */
export const roleIn = (doc: string, at: number): Message['role'] =>
  roleOf(doc.charAt(doc.indexOf('],"') + 3 + at))

export function unpacked(text: string): readonly PackedMessage[] {
  const [ids, roles, times, agents] = JSON.parse(text) as Doc
  let before = 0
  return ids.map((id, n) => {
    const since = times[n] ?? null
    if (since !== null) before += since
    return {
      id,
      agent_id: typeof agents === 'string' ? agents : (agents[n] ?? ''),
      role: roleOf(roles[n]),
      ts: since === null ? null : before,
    }
  })
}
