import type { Result, Session, SessionAgent } from '@panoptes/schema'
import { afterEach, beforeEach } from 'vitest'
import type { IndexChange, IndexedMessage, IndexOptions, SearchQuery, SessionIndex } from '../port.ts'

/** Creates indexes of one engine for tests, each in a place of its own. */
export interface IndexLab {
  readonly open: (options?: IndexOptions) => Promise<OpenedIndex>
}

export interface OpenedIndex {
  readonly index: SessionIndex
  /** Opens another index on the same place. */
  readonly again: (options?: IndexOptions) => Promise<SessionIndex>
  readonly remove: () => Promise<void>
}

export function value<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(result.message)
  return result.value
}

export const session = (id: string, fields: Partial<Session> = {}): Session => ({
  source: 'claude-code',
  id,
  parent_id: null,
  lineage: 'root',
  title: `Title of ${id}`,
  project: 'notes',
  cwd: '/notes',
  git_branch: null,
  model: 'claude-opus-4-8',
  started_at: 1_000,
  last_at: 2_000,
  ended_at: null,
  fingerprint: `f-${id}`,
  ...fields,
})

export const agent = (id: string): SessionAgent => ({
  id,
  parent_id: null,
  subagent_type: null,
  description: null,
  tool_use_id: null,
})

export const message = (text: string, fields: Partial<IndexedMessage> = {}): IndexedMessage => ({
  id: `m-${text}`,
  agent_id: 'main',
  role: 'user',
  ts: 1_500,
  model: null,
  text,
  tools: [],
  errors: 0,
  failed: [],
  usage: null,
  cost_micro_usd: null,
  ...fields,
})

export function sessionChanges(of: Session, messages: readonly IndexedMessage[]): readonly IndexChange[] {
  const { source, id } = of
  return [
    { type: 'begin', source, id, place: `/there/${id}` },
    { type: 'messages', source, id, messages },
    { type: 'end', session: of },
  ]
}

/** Gives each test of a suite an index of its own. */
export function useIndex(lab: IndexLab) {
  let opened: OpenedIndex
  let index: SessionIndex
  beforeEach(async () => {
    opened = await lab.open()
    index = opened.index
  })
  afterEach(async () => {
    await index.close()
    await opened.remove()
  })
  return {
    get index() {
      return index
    },
    again: (options?: IndexOptions) => opened.again(options),
    /** Closes the index and opens it again. */
    reopen: async () => {
      await index.close()
      index = await opened.again()
    },
    write: async (...of: Parameters<typeof sessionChanges>) =>
      value(await index.write(sessionChanges(...of))),
    change: async (...changes: readonly (readonly IndexChange[])[]) =>
      value(await index.write(changes.flat())),
    found: async (text: string, more: Partial<SearchQuery> = {}) =>
      value(await index.search({ text, limit: 10, ...more })).map((hit) => `${hit.session_id} ${hit.n}`),
    listed: async (more = {}) => value(await index.list({ limit: 10, ...more })).map(({ id }) => id),
  }
}
