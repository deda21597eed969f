import { basename } from 'node:path'
import type { SQLOutputValue } from 'node:sqlite'
import type { Message, Session, TokenUsage } from '@panoptes/schema'
import { columnText } from '../database/text.ts'
import { countOf, type Fields, timeOf } from '../fields.ts'
import type { Listed } from '../port.ts'
import { titleOf } from '../title.ts'
import { familyOf } from './lineage.ts'
import { PARENT_COLUMNS, SESSION_COLUMNS } from './statements.ts'

/** Gathers what is known of a session: its row, and what its messages add. */
export class About {
  readonly model: string | null
  readonly #row: Fields
  readonly #parent: Fields
  #prompt: string | null = null
  #last: number | null = null

  constructor(row: readonly SQLOutputValue[]) {
    this.#row = namedBy(SESSION_COLUMNS, row)
    this.#parent = namedBy(PARENT_COLUMNS, row.slice(SESSION_COLUMNS.length))
    const model = columnText(this.#row.model)?.trim() ?? ''
    this.model = model === '' || model === 'None' ? null : model
  }

  met({ role, ts, state, hidden, content }: Message): void {
    if (ts !== null && (this.#last === null || ts > this.#last)) this.#last = ts
    if (this.#prompt !== null || role !== 'user' || hidden || state === 'summary') return
    const block = content.find((each) => each.type === 'text')
    if (block?.type === 'text') this.#prompt = titleOf(block.text)
  }

  session({ id, fingerprint }: Listed): Session {
    const row = this.#row
    const cwd = columnText(row.cwd)
    const root = columnText(row.git_repo_root) ?? cwd
    const started = secondsOf(row.started_at)
    const last = [started, secondsOf(row.last_activity_at), this.#last].filter((ms) => ms !== null)
    return {
      source: 'hermes',
      id,
      ...familyOf(row, this.#parent),
      title: columnText(row.title) ?? this.#prompt,
      project: root === null ? null : basename(root) || root,
      cwd,
      git_branch: columnText(row.git_branch),
      model: this.model,
      started_at: started,
      last_at: last.length === 0 ? null : Math.max(...last),
      ended_at: secondsOf(row.ended_at),
      fingerprint,
      usage: usageOf(row),
      cost_micro_usd: costOf(row),
    }
  }
}

const namedBy = (names: readonly string[], row: readonly SQLOutputValue[]): Fields =>
  Object.fromEntries(names.map((name, at) => [name, plain(row[at])]))

const plain = (value: SQLOutputValue | undefined): unknown =>
  typeof value === 'bigint' ? Number(value) : value

const numberOf = (value: unknown): number | null => {
  const text = columnText(value)
  const number = text === null ? Number.NaN : Number(text)
  return Number.isFinite(number) ? number : null
}

function secondsOf(value: unknown): number | null {
  const seconds = numberOf(value)
  return seconds === null ? null : timeOf(seconds * 1_000)
}

/** The counters begin at zero: a session in which all of them are was not counted. */
function usageOf(row: Fields): TokenUsage | null {
  const usage = {
    input: countOf(numberOf(row.input_tokens)),
    output: countOf(numberOf(row.output_tokens)),
    cache_read: countOf(numberOf(row.cache_read_tokens)),
    cache_write: countOf(numberOf(row.cache_write_tokens)),
    cache_write_1h: null,
    reasoning: countOf(numberOf(row.reasoning_tokens)),
  }
  return Object.values(usage).some((count) => count !== null && count > 0) ? usage : null
}

const MOST_USD = 1_000_000_000

/** Hermes writes zero for an estimate it could not make: it is one only where it says that nothing is to be paid. */
function costOf(row: Fields): number | null {
  const free = row.cost_status === 'included' || row.cost_status === 'actual'
  for (const value of [row.actual_cost_usd, row.estimated_cost_usd]) {
    const usd = numberOf(value)
    if (usd !== null && (usd > 0 || (usd === 0 && free)) && usd < MOST_USD) return Math.round(usd * 1_000_000)
  }
  return null
}
