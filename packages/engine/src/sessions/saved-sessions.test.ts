import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSessions } from '@panoptes/engine/sessions'
import type { IndexStatus } from '@panoptes/schema'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { unwrap } from '../result.test-kit.ts'
import { promptRow, put } from '../sources/claude-code/claude-code.test-kit.ts'
import { type SavedInput, toSavedSessions } from './saved-sessions.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'panoptes-saved-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const status = (more: Partial<IndexStatus> = {}): IndexStatus => ({
  ...{ source: 'codex', state: 'idle', done: 0, total: 0, problem: null },
  ...more,
})
const count = { source: 'codex', sessions: 5, gone: 2, prompts_only: 1 }
const saved = (more: Partial<SavedInput> = {}) =>
  toSavedSessions({ isArchiving: true, status: status(), isComplete: true, count, ...more })

it('counts what is saved once all of it was read', () => {
  expect(saved()).toEqual({ state: 'saved', sessions: 5, deleted: 2, prompts_only: 1 })
  expect(saved({ count: undefined })).toEqual({ state: 'saved', sessions: 0, deleted: 0, prompts_only: 0 })
  expect(saved({ status: status({ state: 'running', done: 1, total: 2 }) })).toMatchObject({ sessions: 5 })
})

it('gives no count before the first read is complete', () => {
  const first = (more: Partial<IndexStatus>) => saved({ isComplete: false, status: status(more) })
  expect(first({ state: 'running', done: 3, total: 8 })).toEqual({ state: 'reading', done: 3, total: 8 })
  expect(first({})).toEqual({ state: 'reading', done: 0, total: 0 })
  expect(first({ state: 'paused' })).toEqual({ state: 'paused' })
  expect(first({ state: 'failed', problem: 'No.' })).toEqual({ state: 'failed', problem: 'No.' })
})

it('says that nothing is saved while the archive is off', () => {
  expect(saved({ isArchiving: false, isComplete: false })).toEqual({ state: 'off', sessions: 5 })
  expect(saved({ isArchiving: false, count: undefined })).toEqual({ state: 'off', sessions: 0 })
})

it('follows the archive of each source', async () => {
  const transcript = (id: string) => join(folder, 'projects', '-atlas', `${id}.jsonl`)
  for (const id of ['one', 'two']) put(transcript(id), [promptRow('go')])
  put(join(folder, 'history.jsonl'), [
    { display: 'Find it', timestamp: Date.UTC(2026, 5, 1), sessionId: 'lost' },
  ])
  const env = { HOME: folder, CLAUDE_CONFIG_DIR: folder }
  const sessions = unwrap(await openSessions({ file: join(folder, 'history.db'), env }))
  try {
    expect(unwrap(await sessions.saved()).get('claude-code')).toMatchObject({ state: 'reading' })
    unwrap(await sessions.refresh())
    rmSync(transcript('two'))
    unwrap(await sessions.refresh())
    const all = unwrap(await sessions.saved())
    expect(all.get('claude-code')).toEqual({ state: 'saved', sessions: 2, deleted: 1, prompts_only: 1 })
    expect(all.get('hermes')).toEqual({ state: 'saved', sessions: 0, deleted: 0, prompts_only: 0 })
  } finally {
    await sessions.close()
  }
})
