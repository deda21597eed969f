import { basename } from 'node:path'
import type { SQLOutputValue } from 'node:sqlite'
import type { Message, Session } from '@panoptes/schema'
import { columnText } from '../database/text.ts'
import { type Fields, fieldsOf, textOf, timeOf } from '../fields.ts'
import { parsed } from '../json.ts'
import type { Listed } from '../port.ts'
import { titleOf } from '../title.ts'
import { PROJECT_COLUMNS, SESSION_COLUMNS } from './statements.ts'

export const MAIN = 'main'

/** What the row of a session says. */
export interface Told {
  readonly parent: string | null
  readonly title: string | null
  readonly directory: string | null
  readonly agent: string | null
  readonly project: string | null
  readonly created: number | null
  readonly updated: number | null
  /** From here on the conversation was taken back: the message, or what follows it where only a part of it was. */
  readonly revert: { readonly message: string; readonly whole: boolean } | null
}

/** Titles that OpenCode gives until it has one. */
const NO_TITLE = /^(?:New|Child) session - \d{4}-/

export function toldBy(row: readonly SQLOutputValue[]): Told {
  const names = [...SESSION_COLUMNS, ...PROJECT_COLUMNS]
  const fields: Fields = Object.fromEntries(names.map((name, at) => [name, columnText(row[at])]))
  const title = textOf(fields.title)
  const directory = textOf(fields.directory)
  const revert = fieldsOf(parsed(textOf(fields.revert)))
  const reverted = textOf(revert.messageID)
  return {
    parent: textOf(fields.parent_id),
    title: title === null || NO_TITLE.test(title) ? null : title,
    directory,
    agent: textOf(fields.agent),
    project: textOf(fields.name) ?? nameOf(textOf(fields.worktree)) ?? nameOf(directory),
    created: millisecondsOf(fields.time_created),
    updated: millisecondsOf(fields.time_updated),
    revert: reverted === null ? null : { message: reverted, whole: textOf(revert.partID) === null },
  }
}

const millisecondsOf = (value: unknown): number | null =>
  typeof value === 'string' ? timeOf(Number(value)) : null

/** Folders outside of any repository belong to a project whose folder is the root. */
const nameOf = (folder: string | null): string | null => (folder === null ? null : basename(folder) || null)

/** Gathers what is known of a session: its row, and what its messages add. */
export class About {
  readonly #row: Told
  #prompt: string | null = null
  #last: number | null = null
  readonly #models = new Map<string, number>()

  constructor(row: Told) {
    this.#row = row
  }

  met({ role, agent_id, model, ts, hidden, state, content }: Message): void {
    if (model !== null) this.#models.set(model, (this.#models.get(model) ?? 0) + 1)
    if (ts !== null) this.#last = Math.max(this.#last ?? ts, ts)
    if (this.#prompt !== null || role !== 'user' || agent_id !== MAIN || hidden || state === 'summary') return
    const block = content.find((each) => each.type === 'text')
    if (block?.type === 'text') this.#prompt = titleOf(block.text)
  }

  session({ id, fingerprint }: Listed): Session {
    const { parent, title, directory, project, created, updated } = this.#row
    const [model] = [...this.#models].sort(([, a], [, b]) => b - a)[0] ?? [null]
    const times = [created, updated, this.#last].filter((ms) => ms !== null)
    return {
      source: 'opencode',
      id,
      parent_id: parent,
      lineage: parent === null ? 'root' : 'subagent',
      title: title ?? this.#prompt,
      project,
      cwd: directory,
      git_branch: null,
      model,
      started_at: created,
      last_at: times.length === 0 ? null : Math.max(...times),
      ended_at: null,
      fingerprint,
    }
  }
}
