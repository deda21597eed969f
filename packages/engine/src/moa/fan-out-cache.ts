import { createHash } from 'node:crypto'
import type { AdvisoryView, ViewMessage } from './view.ts'

/** Which fan-out holds for a request, and whether it has to be run. */
export interface Decided {
  readonly key: string
  /** Changes with what a person said: the turn. */
  readonly turn: string
}

interface Followed {
  turn: string
  state: string
  changes: number
  pinned: string
}

/** Follows one session, to know when its references are asked anew. */
export class FanOutRule {
  #followed: Followed | undefined

  decide(fanout: string, preset: string, labels: readonly string[], view: AdvisoryView): Decided {
    const keyed = (digest: string) => [preset, digest, ...labels].join('\0')
    const turn = keyed(digestOf(view.messages.slice(0, view.asked)))
    if (fanout === 'user_turn') return { key: turn, turn }
    const state = keyed(digestOf(view.messages))
    if (fanout === 'per_iteration') return { key: state, turn }
    return { key: this.#everyNth(Number(fanout.slice('every_n:'.length)), turn, state), turn }
  }

  /** The first state of a turn, then every so many that differ; a retry is no change. */
  #everyNth(n: number, turn: string, state: string): string {
    const before = this.#followed
    if (before === undefined || before.turn !== turn) {
      this.#followed = { turn, state, changes: 0, pinned: state }
      return state
    }
    if (before.state === state) return before.pinned
    before.state = state
    before.changes += 1
    if (before.changes % n === 0) before.pinned = state
    return before.pinned
  }
}

const digestOf = (messages: readonly ViewMessage[]): string =>
  createHash('sha256')
    .update(messages.map(({ role, content }) => `${role}:${content}`).join('\0'))
    .digest('hex')
