import { basename } from 'node:path'
import type { SQLOutputValue } from 'node:sqlite'
import type { ClientSpending, Message, Session, TokenUsage } from '@panoptes/schema'
import { columnText } from '../database/text.ts'
import { type Fields, toCount, toFields, toText, toTime } from '../fields.ts'
import { parsed } from '../json.ts'
import type { Listed } from '../port.ts'
import { promptTitle } from '../title.ts'
import { AUXILIARY_COLUMNS, PARENT_COLUMNS, SESSION_COLUMNS } from './statements.ts'

/** Collects the metadata of a session from its row and its messages. */
export class About {
  readonly model: string | null
  readonly #row: Fields
  readonly #parent: Fields
  #prompt: string | null = null
  #last: number | null = null

  readonly #auxiliary: readonly Fields[]

  constructor(row: readonly SQLOutputValue[], auxiliary: readonly (readonly SQLOutputValue[])[] = []) {
    this.#auxiliary = auxiliary.map((each) => namedBy(AUXILIARY_COLUMNS, each))
    this.#row = namedBy(SESSION_COLUMNS, row)
    this.#parent = namedBy(PARENT_COLUMNS, row.slice(SESSION_COLUMNS.length))
    const model = columnText(this.#row.model)?.trim() ?? ''
    this.model = model === '' || model === 'None' ? null : model
  }

  addMessage({ role, ts, state, hidden, content }: Message): void {
    if (ts !== null && (this.#last === null || ts > this.#last)) this.#last = ts
    if (this.#prompt !== null || role !== 'user' || hidden || state === 'summary') return
    const block = content.find((each) => each.type === 'text')
    if (block?.type === 'text') this.#prompt = promptTitle(block.text)
  }

  session({ id, fingerprint }: Listed): Session {
    const row = this.#row
    const cwd = columnText(row.cwd)
    const root = columnText(row.git_repo_root) ?? cwd
    const started = secondsToMs(row.started_at)
    const last = [started, secondsToMs(row.last_activity_at), this.#last].filter((ms) => ms !== null)
    return {
      source: 'hermes',
      id,
      ...findLineage(row, this.#parent),
      title: columnText(row.title) ?? this.#prompt,
      project: root === null ? null : basename(root) || root,
      cwd,
      git_branch: columnText(row.git_branch),
      model: this.model,
      started_at: started,
      last_at: last.length === 0 ? null : Math.max(...last),
      ended_at: secondsToMs(row.ended_at),
      fingerprint,
      usage: rowUsage(row),
      cost_micro_usd: rowCost(row),
      ...clientSpending(this.#auxiliary),
    }
  }
}

/**
 * Hermes counts calls for titles, compression and the like separately. Versions that did not count them left
 * no rows, so missing rows do not mean zero calls.
 */
function clientSpending(rows: readonly Fields[]): { readonly client_spending?: ClientSpending } {
  if (rows.length === 0) return {}
  const calls = rows.map((row) => {
    const model = columnText(row.model)?.trim() ?? ''
    return {
      model: model === '' || model === 'unknown' ? null : model,
      usage: rowUsage(row) ?? NOTHING,
      cost_micro_usd: rowCost(row),
    }
  })
  return { client_spending: { kind: 'calls', calls } }
}

const NOTHING: TokenUsage = {
  input: null,
  output: null,
  cache_read: null,
  cache_write: null,
  cache_write_1h: null,
  reasoning: null,
}

const namedBy = (names: readonly string[], row: readonly SQLOutputValue[]): Fields =>
  Object.fromEntries(names.map((name, at) => [name, plain(row[at])]))

const plain = (value: SQLOutputValue | undefined): unknown =>
  typeof value === 'bigint' ? Number(value) : value

const toNumber = (value: unknown): number | null => {
  const text = columnText(value)
  const number = text === null ? Number.NaN : Number(text)
  return Number.isFinite(number) ? number : null
}

function secondsToMs(value: unknown): number | null {
  const seconds = toNumber(value)
  return seconds === null ? null : toTime(seconds * 1_000)
}

/** The counters begin at zero, so a session with only zeros was not counted. */
function rowUsage(row: Fields): TokenUsage | null {
  const usage = {
    input: toCount(toNumber(row.input_tokens)),
    output: toCount(toNumber(row.output_tokens)),
    cache_read: toCount(toNumber(row.cache_read_tokens)),
    cache_write: toCount(toNumber(row.cache_write_tokens)),
    cache_write_1h: null,
    reasoning: toCount(toNumber(row.reasoning_tokens)),
  }
  return Object.values(usage).some((count) => count !== null && count > 0) ? usage : null
}

const MOST_USD = 1_000_000_000

/**
 * Hermes writes zero for an estimate it could not make. Zero is a real cost only when the status says that
 * nothing is to be paid.
 */
function rowCost(row: Fields): number | null {
  const free = row.cost_status === 'included' || row.cost_status === 'actual'
  for (const value of [row.actual_cost_usd, row.estimated_cost_usd]) {
    const usd = toNumber(value)
    if (usd !== null && (usd > 0 || (usd === 0 && free)) && usd < MOST_USD) return Math.round(usd * 1_000_000)
  }
  return null
}

interface Family {
  readonly parent_id: string | null
  readonly lineage: Session['lineage']
}

const MARKERS = [
  ['_branched_from', 'branch'],
  ['_delegate_from', 'delegate'],
  ['_reset_from', 'reset'],
] as const
const RESETS = ['session_reset', 'new_session', 'daily', 'idle', 'idle_timeout', 'suspended']

/**
 * Finds how a session relates to its parent. Continuations inherit the marker of a session, so it counts only
 * when it names the parent itself. Without a parent, which may have been deleted, only the marker is left.
 */
function findLineage(own: Fields, parent: Fields): Family {
  const config = toFields(parsed(toText(own.model_config)))
  const parentId = toText(own.parent_session_id)
  for (const [marker, lineage] of MARKERS) {
    const from = toText(config[marker])
    if (from !== null && (parentId === null || parentId === from)) return { parent_id: from, lineage }
  }
  if (parentId === null) return { parent_id: null, lineage: 'root' }
  return { parent_id: parentId, lineage: unmarked(own, parent) }
}

function unmarked(own: Fields, parent: Fields): Session['lineage'] {
  const after = Number(own.started_at) >= Number(parent.ended_at ?? Number.POSITIVE_INFINITY)
  if (own.source === 'subagent' && parent.source !== 'subagent') return 'delegate'
  if (parent.end_reason === 'branched' && after) return 'branch'
  if (parent.end_reason === 'compression' && after) return 'compression'
  const sameChat = toText(own.session_key) !== null && own.session_key === parent.session_key
  if (sameChat && RESETS.includes(String(parent.end_reason))) return 'reset'
  return 'delegate'
}
