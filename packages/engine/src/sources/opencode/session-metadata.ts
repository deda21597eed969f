import { basename } from 'node:path'
import type { SQLOutputValue } from 'node:sqlite'
import type { Message, Session } from '@panoptes/schema'
import { columnText } from '../database/text.ts'
import { type Fields, toFields, toText, toTime } from '../fields.ts'
import { parsed } from '../json.ts'
import type { Listed } from '../port.ts'
import { promptTitle } from '../title.ts'
import { PROJECT_COLUMNS, SESSION_COLUMNS } from './statements.ts'

export const MAIN = 'main'

/** The row of a session. */
export interface SessionRow {
  readonly parent: string | null
  readonly title: string | null
  readonly directory: string | null
  readonly agent: string | null
  readonly project: string | null
  readonly created: number | null
  readonly updated: number | null
  /**
   * The message from which the conversation was reverted; `whole` is false when only a part of that message
   * was.
   */
  readonly revert: { readonly message: string; readonly whole: boolean } | null
}

/** The placeholder titles of OpenCode. */
const NO_TITLE = /^(?:New|Child) session - \d{4}-/

export function parseSessionRow(row: readonly SQLOutputValue[]): SessionRow {
  const names = [...SESSION_COLUMNS, ...PROJECT_COLUMNS]
  const fields: Fields = Object.fromEntries(names.map((name, at) => [name, columnText(row[at])]))
  const title = toText(fields.title)
  const directory = toText(fields.directory)
  const revert = toFields(parsed(toText(fields.revert)))
  const reverted = toText(revert.messageID)
  return {
    parent: toText(fields.parent_id),
    title: title === null || NO_TITLE.test(title) ? null : title,
    directory,
    agent: toText(fields.agent),
    project: toText(fields.name) ?? folderName(toText(fields.worktree)) ?? folderName(directory),
    created: toMillis(fields.time_created),
    updated: toMillis(fields.time_updated),
    revert: reverted === null ? null : { message: reverted, whole: toText(revert.partID) === null },
  }
}

const toMillis = (value: unknown): number | null => (typeof value === 'string' ? toTime(Number(value)) : null)

/** Folders outside any repository belong to a project whose folder is the root. */
const folderName = (folder: string | null): string | null =>
  folder === null ? null : basename(folder) || null

/** Collects the metadata of a session from its row and its messages. */
export class About {
  readonly #row: SessionRow
  #prompt: string | null = null
  #last: number | null = null
  readonly #models = new Map<string, number>()

  constructor(row: SessionRow) {
    this.#row = row
  }

  addMessage({ role, agent_id, model, ts, hidden, state, content }: Message): void {
    if (model !== null) this.#models.set(model, (this.#models.get(model) ?? 0) + 1)
    if (ts !== null) this.#last = Math.max(this.#last ?? ts, ts)
    if (this.#prompt !== null || role !== 'user' || agent_id !== MAIN || hidden || state === 'summary') return
    const block = content.find((each) => each.type === 'text')
    if (block?.type === 'text') this.#prompt = promptTitle(block.text)
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
