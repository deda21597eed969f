import { createHash, type Hash } from 'node:crypto'
import type { AdvisoryView, ViewMessage } from './view.ts'

/** What a fan-out depends on beside the conversation: the preset, and its references in their order. */
export interface Asked {
  readonly preset: string
  readonly labels: readonly string[]
}

/** Changes with what a person said: the turn. */
export const turnKeyOf = (of: Asked, { messages, asked }: AdvisoryView): string =>
  keyed(of, digestOf(messages.slice(0, asked)))

/** Which fan-out holds for a state of a turn. */
export function fanOutKeyOf(
  fanout: string,
  of: Asked,
  view: AdvisoryView,
  { turn, states }: { readonly turn: string; readonly states: SeenStates },
): string {
  if (fanout === 'user_turn') return turn
  if (fanout === 'per_iteration') return keyed(of, digestOf(view.messages))
  return keyed(of, states.pinned(Number(fanout.slice('every_n:'.length)), view))
}

interface Seen {
  readonly length: number
  /** The messages there were. */
  readonly messages: number
  readonly changes: number
  readonly pinned: string
}

const MOST_SEEN = 64

/**
 * The states of a turn that were seen, for `every_n`: the first has its references asked, then every so many that differ; a retry is no
 * change. Several loops may grow from one question, so each state counts on from the one that it grew from.
 */
export class SeenStates {
  readonly #seen = new Map<string, Seen>()

  pinned(n: number, { messages, asked }: AdvisoryView): string {
    // The request of ours at the end is no part of the state: what comes next stands in its place.
    const real = asked === messages.length ? messages : messages.slice(0, -1)
    const text = textOf(real)
    const state = grownFrom(createHash('sha256'), text).digest('hex')
    const known = this.#seen.get(state)
    if (known !== undefined) return known.pinned
    const before = this.#before(text, real.length)
    const changes = before === undefined ? 0 : before.changes + 1
    const pinned = before === undefined || changes % n === 0 ? digestOf(messages) : before.pinned
    this.#seen.set(state, { length: text.length, messages: real.length, changes, pinned })
    const [oldest] = this.#seen.keys()
    if (this.#seen.size > MOST_SEEN && oldest !== undefined) this.#seen.delete(oldest)
    return pinned
  }

  /** The longest that the text begins with. Where a client rewrote what was, it is the last one that had fewer messages. */
  #before(text: string, messages: number): Seen | undefined {
    const lengths = new Set([...this.#seen.values()].map(({ length }) => length))
    const hash = createHash('sha256')
    let from = 0
    let grown: Seen | undefined
    for (const length of [...lengths].sort((a, b) => a - b)) {
      if (length >= text.length) break
      grownFrom(hash, text.slice(from, length))
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

/** Letter by letter of UTF-16: where another text ends, a letter of this one may be cut in two. */
const grownFrom = (hash: Hash, text: string): Hash => hash.update(text, 'utf16le')

const keyed = ({ preset, labels }: Asked, digest: string): string => [preset, digest, ...labels].join('\0')

const textOf = (messages: readonly ViewMessage[]): string =>
  messages.map(({ role, content }) => `${role}:${content}`).join('\0')

const digestOf = (messages: readonly ViewMessage[]): string =>
  createHash('sha256').update(textOf(messages)).digest('hex')
