import type { ConversationHead } from '@panoptes/schema'
import { SPENT } from '../accounts/cost-facts.ts'
import { KINDS, ROW_KINDS, type RowKind } from '../accounts/facts.ts'
import { lineKey } from '../postgres/accounts/journal.ts'
import { accountKey, nameKey } from '../postgres/accounts/load.ts'
import { ownColumn } from '../postgres/accounts/store.ts'
import { OWN_COLUMN } from '../postgres/accounts/tables.ts'
import type { Cell } from '../postgres/copy.ts'
import { toStoredKey } from '../postgres/names.ts'

type Text = string | null
export type SourceRow = Readonly<Record<string, Cell>>

/**
 * The rows of one table and where they come from. Columns with the same name on both sides are copied
 * unchanged.
 */
export interface MovedTable {
  readonly table: string
  readonly columns: readonly string[]
  /** The query that reads them from the SQLite file. */
  readonly from: string
  /** The rows themselves, when a computer keeps them in files. */
  readonly inlineRows?: readonly SourceRow[]
  /**
   * The PostgreSQL expression that returns a column as it was written, when that is not the column itself.
   */
  readonly back?: Readonly<Record<string, string>>
  /** Computes the columns that are not copied. */
  readonly computeCells?: (row: SourceRow) => Readonly<Record<string, Cell>>
}

const copiedTable = (table: string, columns: readonly string[]): MovedTable => ({
  table,
  columns,
  from: `SELECT ${columns.join(', ')} FROM ${table}`,
})

const text = (cell: Cell | undefined): string => String(cell)

const projection = ['name', 'key', 'grp', 'tag', 'ord', 'ref', 'doc']

/** Describes rows of projections as PostgreSQL stores them, with very long keys replaced by their hash. */
const projectionTable = (table: string): MovedTable => ({
  ...copiedTable(table, projection),
  computeCells: ({ key, grp }) => ({ key: toStoredKey(text(key)), grp: toStoredKey(text(grp)) }),
})

/** These rows are folded anew and only compared. */
export const projectionRows: MovedTable = projectionTable('projection_rows')

const accountRows = (kind: RowKind): MovedTable => {
  const own = OWN_COLUMN[kind]
  const columns = ['id', 'at', 'source', 'project', ...KINDS[kind], 'doc']
  if (own === undefined) return copiedTable(`account_${kind}`, columns)
  return {
    table: `account_${kind}`,
    columns: [...columns, own],
    from: `SELECT ${columns.join(', ')} FROM account_${kind}`,
    computeCells: ({ doc }) => ({ [own]: ownColumn(kind, JSON.parse(text(doc)) as object) }),
  }
}

const accountSums = (kind: RowKind): MovedTable =>
  copiedTable(`account_${kind}_sums`, ['source', 'project', 'day', ...KINDS[kind], 'n'])

/** PostgreSQL stores tags as an array. */
const toArrayLiteral = (json: Cell | undefined): string =>
  `{${(JSON.parse(text(json)) as string[]).map((each) => `"${each.replaceAll(/["\\]/g, '\\$&')}"`).join(',')}}`

const LIST_BACK = `(SELECT '{' || coalesce(string_agg('"' || regexp_replace(tag, '(["\\\\])', '\\\\\\1', 'g') || '"', ',' ORDER BY n), '') || '}'
  FROM unnest(tags) WITH ORDINALITY AS one (tag, n))`

const CONVERSATION = ['id', 'updated_at', 'run_id', 'state_revision', 'doc', 'state', 'epoch']

const NOTE = 'achievements: '

/** The new owner of conversations and facts, which belong to nobody in particular on a personal computer. */
export interface Owner {
  readonly id: string
  readonly name: string
}

/**
 * Everything that a store holds, except `meta`, the rows of projections and the checkpoints, which are
 * derived from the rest.
 */
export const movedTables = (
  owner: Owner | null,
  templates: ReadonlyMap<string, string> = new Map(),
): readonly MovedTable[] => [
  { table: 'event_keys', columns: ['key', 'seq'], from: "SELECT key, seq FROM events WHERE body <> ''" },
  {
    ...copiedTable('events', ['seq', 'ts', 'event', 'source', 'session_id', 'agent_id', 'failed', 'body']),
    computeCells: ({ failed }) => ({ failed: failed !== 0 }),
  },
  projectionTable('projection_base'),
  copiedTable('marks', ['name', 'value']),
  copiedTable('forgotten', ['hash']),
  copiedTable('forgetting', ['source', 'id']),
  {
    ...copiedTable('session_marks', ['source', 'id', 'tags', 'note']),
    computeCells: ({ tags }) => ({ tags: toArrayLiteral(tags) }),
    back: { tags: LIST_BACK },
  },
  copiedTable('saved_filters', ['name', 'query']),
  copiedTable('contributions', ['scope', 'id', 'source', 'fingerprint', 'doc']),
  copiedTable('unlocks', ['view', 'id', 'doc']),
  {
    table: 'achieved_notes',
    columns: ['name', 'value'],
    from: `SELECT substr(name, ${NOTE.length + 1}) AS name, value FROM meta WHERE substr(name, 1, ${NOTE.length}) = '${NOTE}'`,
  },
  {
    ...copiedTable(
      'injections',
      'number key ts template place made_at task_type target arm drawn source session_id project'.split(' '),
    ),
    computeCells: ({ drawn }) => ({ drawn: drawn !== 0 }),
  },
  copiedTable('template_notes', ['name', 'made_at', 'source', 'session_id', 'doc']),
  {
    table: 'template_texts',
    columns: ['name', 'text'],
    from: '',
    inlineRows: [...templates].map(([name, text]) => ({ name, text })),
  },
  copiedTable('turns', ['number', 'id', 'ts', 'preset', 'session_id', 'doc']),
  {
    ...copiedTable('accounts', ['number', 'source', 'session_id', 'fingerprint', 'made_of', 'day', 'doc']),
    columns: ['number', 'key', 'source', 'session_id', 'fingerprint', 'made_of', 'day', 'doc'],
    computeCells: ({ source, session_id }) => ({ key: accountKey(text(source), text(session_id)) }),
  },
  {
    table: 'account_names',
    columns: ['id', 'key', 'name'],
    from: 'SELECT id, name FROM account_names',
    computeCells: ({ name }) => ({ key: nameKey(text(name)) }),
  },
  ...ROW_KINDS.flatMap((kind) => [accountRows(kind), accountSums(kind)]),
  copiedTable('account_skills', ['source', 'project', 'skill', 'last_used']),
  copiedTable('account_cost_sums', [
    ...'kind source project day model name prev present sessions'.split(' '),
    ...SPENT,
  ]),
  copiedTable('account_costs', ['model', 'day', 'account', 'source', 'project', ...SPENT]),
  {
    table: 'account_journal',
    columns: ['key', 'session', 'source', 'session_id', 'journal', 'line', 'mark'],
    from: 'SELECT source, session_id, journal, line, mark FROM account_journal',
    computeCells: (row) => {
      const [source, session_id, journal, line] = [row.source, row.session_id, row.journal, row.line].map(
        text,
      )
      const of = { source: source ?? '', session_id: session_id ?? '', line: line ?? '' }
      return {
        key: lineKey({ ...of, journal: journal ?? '' }),
        session: accountKey(of.source, of.session_id),
      }
    },
  },
  {
    ...copiedTable('conversations', CONVERSATION),
    columns: [...CONVERSATION, 'owner', 'shared'],
    computeCells: ({ doc }) => {
      const parsed = JSON.parse(text(doc)) as ConversationHead
      const head =
        owner === null || parsed.owner != null
          ? parsed
          : { ...parsed, owner: owner.id, owner_name: owner.name }
      const isSame = head === parsed
      return {
        owner: head.owner ?? null,
        shared: head.shared === true,
        ...(isSame ? {} : { doc: JSON.stringify(head) }),
      }
    },
  },
  {
    ...copiedTable('chat_messages', ['number', 'id', 'conversation', 'doc', 'sent', 'preamble', 'files']),
    computeCells: ({ preamble }) => ({ preamble: toJson(preamble as Text) }),
  },
  copiedTable('chat_replaced', ['number', 'id', 'conversation', 'at', 'doc']),
  copiedTable('chat_runs', ['number', 'id', 'conversation', 'events']),
  {
    table: 'facts',
    columns: ['number', 'id', 'doc', 'owner'],
    from: 'SELECT number, id, ts, text, owner FROM facts',
    computeCells: ({ id, ts, text, owner: of }) => ({
      doc: JSON.stringify({ id, ts, text }),
      owner: of ?? owner?.id ?? null,
    }),
  },
]

const toJson = (cell: Text): Text => (cell === null ? null : JSON.stringify(cell))

/** Returns the cells of a row in the order of the columns. */
export const cellReader =
  ({ columns, computeCells }: MovedTable) =>
  (row: SourceRow): readonly Cell[] => {
    const own = computeCells?.(row)
    return columns.map((column) => own?.[column] ?? row[column] ?? null)
  }
