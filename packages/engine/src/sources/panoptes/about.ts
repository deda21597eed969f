import type { SQLOutputValue } from 'node:sqlite'
import type { Session } from '@panoptes/schema'
import { columnText } from '../database/text.ts'
import { type Fields, fieldsOf, textOf, timeOf } from '../fields.ts'
import { parsed } from '../json.ts'
import type { Listed } from '../port.ts'

/** Gathers what is known of a conversation: its row, and who answered in it. */
export class About {
  readonly #head: Fields
  readonly #models = new Map<string, number>()
  /** The run that is under way. */
  readonly running: string | null

  /** Who answered first. */
  readonly first: string | null

  constructor(doc: SQLOutputValue) {
    this.#head = fieldsOf(parsed(columnText(doc)))
    this.running = textOf(this.#head.run_id)
    this.first = textOf(this.#head.first_runtime)
  }

  answered(model: string): void {
    this.#models.set(model, (this.#models.get(model) ?? 0) + 1)
  }

  session({ id, fingerprint }: Listed): Session {
    const { title, created_at, updated_at, forked_from } = this.#head
    const parent = textOf(fieldsOf(forked_from).id)
    const [model] = [...this.#models].sort(([, a], [, b]) => b - a)[0] ?? [null]
    const started = timeOf(created_at)
    return {
      source: 'panoptes',
      id,
      parent_id: parent,
      lineage: parent === null ? 'root' : 'branch',
      title: textOf(title),
      project: null,
      cwd: null,
      git_branch: null,
      model,
      started_at: started,
      last_at: timeOf(updated_at) ?? started,
      ended_at: null,
      fingerprint,
    }
  }
}
