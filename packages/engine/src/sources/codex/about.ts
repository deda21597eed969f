import { basename } from 'node:path'
import type { Message, Session } from '@panoptes/schema'
import { type Fields, textOf } from '../fields.ts'
import type { Listed } from '../port.ts'
import { titleOf } from '../title.ts'
import { MAIN } from './family.ts'
import type { Thread } from './library.ts'

/** Gathers what rollouts say of their session as a whole. */
export class About {
  readonly #thread: Thread
  #name: string | null = null
  #prompt: string | null = null
  #cwd: string | null = null
  #first: number | null = null
  #last: number | null = null
  readonly #models = new Map<string, number>()

  constructor(thread: Thread) {
    this.#thread = thread
  }

  /** A line was written. */
  at(ts: number | null): void {
    if (ts === null) return
    this.#first = Math.min(this.#first ?? ts, ts)
    this.#last = Math.max(this.#last ?? ts, ts)
  }

  turn(context: Fields): void {
    this.#cwd ??= textOf(context.cwd)
  }

  event(event: Fields): void {
    if (event.type === 'thread_name_updated') this.#name = textOf(event.thread_name)?.trim() || this.#name
  }

  met({ role, agent_id, model, hidden, state, content }: Message): void {
    if (model !== null) this.#models.set(model, (this.#models.get(model) ?? 0) + 1)
    if (this.#prompt !== null || role !== 'user' || agent_id !== MAIN || hidden || state !== 'active') return
    const block = content.find((each) => each.type === 'text')
    if (block?.type === 'text') this.#prompt = titleOf(block.text)
  }

  session({ id, fingerprint }: Listed): Session {
    const { head } = this.#thread.rollout
    const cwd = head.cwd ?? this.#cwd
    const [model] = [...this.#models].sort(([, a], [, b]) => b - a)[0] ?? [null]
    return {
      source: 'codex',
      id,
      parent_id: head.forkedFrom ?? head.parent,
      lineage: head.isAgent ? 'subagent' : head.forkedFrom === null ? 'root' : 'branch',
      title: this.#thread.title ?? this.#name ?? this.#prompt,
      project: cwd === null ? null : basename(cwd) || cwd,
      cwd,
      git_branch: head.branch,
      model,
      started_at: this.#first ?? head.startedAt,
      last_at: this.#last ?? head.startedAt,
      ended_at: null,
      fingerprint,
    }
  }
}
