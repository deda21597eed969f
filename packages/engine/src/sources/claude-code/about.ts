import { basename } from 'node:path'
import type { Message, Session } from '@panoptes/schema'
import { type Fields, textOf, timeOf } from '../fields.ts'
import type { Listed } from '../port.ts'
import { titleOf } from '../title.ts'
import { MAIN } from './agents.ts'

/** Gathers what a transcript says of its session as a whole. */
export class About {
  #cwd: string | null = null
  #branch: string | null = null
  /** A title that a person gave wins over one that a model made. */
  #given: string | null = null
  #made: string | null = null
  #prompt: string | null = null
  #first: number | null = null
  #last: number | null = null
  #copiedFrom: string | null = null
  /** When the last of what was copied was said: the session begins after it. */
  #copiedUntil: number | null = null
  #spoke = false
  readonly #models = new Map<string, number>()

  saw(row: Fields): void {
    this.#cwd ??= textOf(row.cwd)
    this.#branch = textOf(row.gitBranch) ?? this.#branch
    if (row.type === 'custom-title') this.#given = textOf(row.customTitle) ?? this.#given
    if (row.type === 'ai-title') this.#made = textOf(row.aiTitle) ?? this.#made
    if (row.type === 'summary') this.#made = textOf(row.summary) ?? this.#made
    const ts = timeOf(row.timestamp)
    if (ts === null) return
    this.#first = Math.min(this.#first ?? ts, ts)
    this.#last = Math.max(this.#last ?? ts, ts)
  }

  /** A row that was copied from another session. Of a branch of a branch the last ones are from the nearer. */
  sawCopy(row: Fields, from: string | null): void {
    this.#cwd ??= textOf(row.cwd)
    this.#branch ??= textOf(row.gitBranch)
    if (!this.#spoke) this.#copiedFrom = from ?? this.#copiedFrom
    const ts = timeOf(row.timestamp)
    if (ts !== null) this.#copiedUntil = Math.max(this.#copiedUntil ?? ts, ts)
  }

  met(message: Message): void {
    this.#spoke = true
    if (message.model !== null) this.#models.set(message.model, (this.#models.get(message.model) ?? 0) + 1)
    if (this.#prompt !== null || message.role !== 'user' || message.agent_id !== MAIN) return
    if (message.hidden || message.state !== 'active') return
    const [block] = message.content.filter((each) => each.type === 'text')
    if (block?.type === 'text' && !block.text.startsWith('<')) this.#prompt = titleOf(block.text)
  }

  session({ id, fingerprint }: Listed): Session {
    const [model] = [...this.#models].sort(([, a], [, b]) => b - a)[0] ?? [null]
    return {
      source: 'claude-code',
      id,
      parent_id: this.#copiedFrom,
      lineage: this.#copiedFrom === null ? 'root' : 'branch',
      title: this.#given ?? this.#made ?? this.#prompt,
      project: this.#cwd === null ? null : basename(this.#cwd) || this.#cwd,
      cwd: this.#cwd,
      git_branch: this.#branch,
      model,
      started_at: this.#first ?? this.#copiedUntil,
      last_at: this.#last ?? this.#copiedUntil,
      ended_at: null,
      fingerprint,
    }
  }
}
