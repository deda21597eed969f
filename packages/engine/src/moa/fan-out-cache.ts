import { createHash, type Hash } from 'node:crypto'
import type { AdvisoryView, ViewMessage } from './advisory-view.ts'

/**
 * What a fan-out depends on besides the conversation: the preset and the order of its references.
 */
export interface FanOutScope {
  readonly preset: string
  readonly labels: readonly string[]
}

/** Identifies the turn. The key changes with every user message. */
export const buildTurnKey = (of: FanOutScope, { messages, asked }: AdvisoryView): string =>
  buildKey(of, hashMessages(messages.slice(0, asked)))

/** Identifies the fan-out that is valid for a state of a turn. */
export function buildFanOutKey(
  fanout: string,
  of: FanOutScope,
  view: AdvisoryView,
  { turn, states }: { readonly turn: string; readonly states: SeenStates },
): string {
  if (fanout === 'user_turn') return turn
  if (fanout === 'per_iteration') return buildKey(of, hashMessages(view.messages))
  return buildKey(of, states.pinState(Number(fanout.slice('every_n:'.length)), view))
}

interface ConversationState {
  readonly length: number
  /** Number of messages in that state. */
  readonly messages: number
  readonly changes: number
  readonly pinned: string
}

const MOST_SEEN = 64

/**
 * The states of a turn seen so far, for `every_n`. References are asked for the first state and
 * then for every nth different one; a retry is not a change. Several loops may grow from one
 * question, so each state continues the count of the state it grew from.
 */
export class SeenStates {
  readonly #seen = new Map<string, ConversationState>()

  pinState(n: number, { messages, asked }: AdvisoryView): string {
    // The request that we append at the end is not part of the state, because the next message
    // takes its place.
    const real = asked === messages.length ? messages : messages.slice(0, -1)
    const text = joinMessages(real)
    const state = updateHash(createHash('sha256'), text).digest('hex')
    const seen = this.#seen.get(state)
    if (seen !== undefined) return seen.pinned
    const before = this.#findPrevious(text, real.length)
    const changes = before === undefined ? 0 : before.changes + 1
    const pinned = before === undefined || changes % n === 0 ? hashMessages(messages) : before.pinned
    this.#seen.set(state, { length: text.length, messages: real.length, changes, pinned })
    const [oldest] = this.#seen.keys()
    if (this.#seen.size > MOST_SEEN && oldest !== undefined) this.#seen.delete(oldest)
    return pinned
  }

  /**
   * Returns the longest known state that is a prefix of the text. If a client rewrote the history,
   * returns the latest one with fewer messages.
   */
  #findPrevious(text: string, messages: number): ConversationState | undefined {
    const lengths = new Set([...this.#seen.values()].map(({ length }) => length))
    const hash = createHash('sha256')
    let from = 0
    let grown: ConversationState | undefined
    for (const length of [...lengths].sort((a, b) => a - b)) {
      if (length >= text.length) break
      updateHash(hash, text.slice(from, length))
      from = length
      const seen = this.#seen.get(hash.copy().digest('hex'))
      if (seen?.length === length) grown = seen
    }
    const least = grown?.messages ?? -1
    return (
      [...this.#seen.values()].findLast((one) => one.messages > least && one.messages < messages) ?? grown
    )
  }
}

/**
 * Hashes UTF-16 code units, because a cut at the end of another text may split a surrogate pair of
 * this one.
 */
const updateHash = (hash: Hash, text: string): Hash => hash.update(text, 'utf16le')

const buildKey = ({ preset, labels }: FanOutScope, digest: string): string =>
  [preset, digest, ...labels].join('\0')

const joinMessages = (messages: readonly ViewMessage[]): string =>
  messages.map(({ role, content }) => `${role}:${content}`).join('\0')

const hashMessages = (messages: readonly ViewMessage[]): string =>
  createHash('sha256').update(joinMessages(messages)).digest('hex')
