import type { StoredChatMessage } from '@panoptes/schema'
import type { ConversationMessage, ConversationWindow, SentMessage } from '../conversations-port.ts'
import { epochBefore, type PlaceOf, statesBefore, summaryEnd } from './epochs.ts'
import { parseEpoch, parseHead, parseMessage, parseStates, type StoredRow } from './row-parsing.ts'

/** Collects messages from the end of a conversation until the next one does not fit. */
export class Newest {
  /** Messages come newest first, without attachments. */
  readonly messages: StoredChatMessage[] = []
  readonly preambles = new Map<string, string>()
  /** The number of the first message in the window. */
  first: number
  #room: number

  /** `from` is the number after which messages begin. */
  constructor(from: number, chars: number) {
    this.first = from + 1
    this.#room = chars
  }

  /** Returns false when the message does not fit. */
  add(row: StoredRow, preamble: string): boolean {
    const message = parseMessage(row)
    this.#room -= message.content.length + preamble.length
    if (this.#room < 0 && this.messages.length > 0) return false
    this.first = Number(row.number)
    this.messages.push({ ...message, attachments: [] })
    if (preamble !== '') this.preambles.set(message.id, preamble)
    return true
  }
}

/** Facts about the messages around the window. */
interface Around {
  /** Counts the messages before the end. */
  readonly count: number
  readonly earlier: number
  readonly preceding: string | null
  /** Counts the messages that the summary covers. */
  readonly summarised: number
}

/** Returns where a window begins and ends, and the state of the conversation at its end. */
export function windowSpan(row: StoredRow, findPlace: PlaceOf, end: number) {
  const epoch = epochBefore(parseEpoch(row), findPlace, end)
  return { epoch, states: statesBefore(parseStates(row), findPlace, end), from: summaryEnd(epoch, findPlace) }
}

export const windowIn = (
  row: StoredRow,
  { epoch, states }: ReturnType<typeof windowSpan>,
  { messages, preambles }: Newest,
  { count, earlier, preceding, summarised }: Around,
): ConversationWindow => ({
  ...parseHead(row),
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

/** Collects messages, oldest first, until the next one does not fit. */
export class BoundedMessages {
  readonly messages: ConversationMessage[] = []
  #room: number

  constructor(chars: number) {
    this.#room = chars
  }

  /** Returns false when the message does not fit. */
  add(row: StoredRow): boolean {
    const { id, role, content, ts } = parseMessage(row)
    this.#room -= content.length
    if (this.#room < 0 && this.messages.length > 0) return false
    this.messages.push({ id, role, content, ts })
    return true
  }
}

export const contextIn = (row: StoredRow): SentMessage['context'] =>
  JSON.parse(String(row.sent)) as SentMessage['context']
