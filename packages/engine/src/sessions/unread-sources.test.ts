import type { IndexStatus } from '@panoptes/schema'
import { expect, it } from 'vitest'
import { notYetRead } from './unread-sources.ts'

const status = (more: Partial<IndexStatus>): IndexStatus => ({
  source: 'hermes',
  state: 'running',
  done: 0,
  total: 0,
  problem: null,
  ...more,
})
const note = (more: Partial<IndexStatus>, ...through: readonly string[]) =>
  notYetRead([status({ source: 'codex', state: 'idle' }), status(more)], new Set(through))

it('names the sources that were not read completely since the start', () => {
  expect(note({ done: 3, total: 8 })).toBe('sessions of hermes are still being read, 3 of 8')
  expect(note({ state: 'failed' })).toBe('sessions of hermes could not be read')
  expect(note({ state: 'paused' })).toBe('reading sessions of hermes is paused')
})

it('names no source that was read once or has nothing to read', () => {
  expect(note({ done: 3, total: 8 }, 'hermes')).toBeUndefined()
  expect(note({ state: 'idle' })).toBeUndefined()
  expect(note({})).toBeUndefined()
})
