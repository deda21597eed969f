import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Result, Session, SessionAgent } from '@panoptes/schema'
import { afterEach, beforeEach } from 'vitest'
import type { IndexChange, IndexedMessage, SessionIndex } from './port.ts'
import { openSqliteIndex } from './sqlite.ts'

export function tempFile(): { readonly file: string; readonly remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'panoptes-index-'))
  return { file: join(folder, 'index.db'), remove: () => rmSync(folder, { recursive: true, force: true }) }
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

export function told(of: Session, messages: readonly IndexedMessage[]): readonly IndexChange[] {
  const { source, id } = of
  return [
    { type: 'begin', source, id, place: `/there/${id}` },
    { type: 'messages', source, id, messages },
    { type: 'end', session: of },
  ]
}

/** An index of its own for each test of a file. */
export function useIndex() {
  let place: ReturnType<typeof tempFile>
  let index: SessionIndex
  beforeEach(() => {
    place = tempFile()
    index = value(openSqliteIndex(place.file))
  })
  afterEach(async () => {
    await index.close()
    place.remove()
  })
  return {
    get index() {
      return index
    },
    write: async (...of: Parameters<typeof told>) => value(await index.write(told(...of))),
  }
}
