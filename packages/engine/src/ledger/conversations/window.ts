import type { StoredChatMessage } from '@panoptes/schema'
import type { ConversationWindow, SaidMessage, SentMessage } from '../conversations-port.ts'
import { epochBefore, type PlaceOf, statesBefore, toldTo } from './epochs.ts'
import { epochIn, headIn, messageIn, type StoredRow, statesIn } from './stored.ts'

/** Messages as they are read, from the end, until there is no room for another one. */
export class Newest {
  /** The newest first, without attachments. */
  readonly messages: StoredChatMessage[] = []
  readonly preambles = new Map<string, string>()
  /** The number of the first of them. */
  first: number
  #room: number

  /** `from`: the number behind which they begin. */
  constructor(from: number, chars: number) {
    this.first = from + 1
    this.#room = chars
  }

  /** False where it has no room. */
  add(row: StoredRow, preamble: string): boolean {
    const message = messageIn(row)
    this.#room -= message.content.length + preamble.length
    if (this.#room < 0 && this.messages.length > 0) return false
    this.first = Number(row.number)
    this.messages.push({ ...message, attachments: [] })
    if (preamble !== '') this.preambles.set(message.id, preamble)
    return true
  }
}

/** What is said of the messages around. */
interface Around {
  /** Messages before the end. */
  readonly count: number
  readonly earlier: number
  readonly preceding: string | null
  /** Messages that the summary tells of. */
  readonly summarised: number
}

/** Where a window begins and ends, and what a conversation is up to there. */
export function spanOf(row: StoredRow, placeOf: PlaceOf, end: number) {
  const epoch = epochBefore(epochIn(row), placeOf, end)
  return { epoch, states: statesBefore(statesIn(row), placeOf, end), from: toldTo(epoch, placeOf) }
}

export const windowIn = (
  row: StoredRow,
  { epoch, states }: ReturnType<typeof spanOf>,
  { messages, preambles }: Newest,
  { count, earlier, preceding, summarised }: Around,
): ConversationWindow => ({
  ...headIn(row),
  messages_count: count,
  agent_state: states,
  state_revision: Number(row.state_revision),
  epoch,
  messages: messages.toReversed(),
  preambles,
  earlier,
  preceding,
  skipped: earlier - summarised,
})

/** What was said, the oldest first, until there is no room for more. */
export class Said {
  readonly messages: SaidMessage[] = []
  #room: number

  constructor(chars: number) {
    this.#room = chars
  }

  /** False where it has no room. */
  add(row: StoredRow): boolean {
    const { id, role, content, ts } = messageIn(row)
    this.#room -= content.length
    if (this.#room < 0 && this.messages.length > 0) return false
    this.messages.push({ id, role, content, ts })
    return true
  }
}

export const contextIn = (row: StoredRow): SentMessage['context'] =>
  JSON.parse(String(row.sent)) as SentMessage['context']
