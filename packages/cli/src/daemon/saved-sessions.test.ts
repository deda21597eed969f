import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { FoundSource } from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import { expect, it } from 'vitest'
import { list } from '../commands/sessions/list.ts'
import { asked, homeWith } from '../commands/sessions/sessions.test-kit.ts'
import { readSavedOnDisk, withSavedSessions } from './saved-sessions.ts'

const found = (more: Partial<FoundSource> = {}): FoundSource => ({
  ...{ id: 'codex', name: 'Codex', kind: 'agent', state: 'found', path: '/c', detail: '', next: null },
  ...more,
})
const NONE = async () => success(new Map())

it('adds retention to the agents on this computer, and to nothing else', async () => {
  const provider = found({ id: 'ollama', kind: 'provider' })
  const absent = found({ state: 'absent' })
  const env = { HOME: '/nonexistent' }
  const [codex, ...others] = await withSavedSessions(env, [found(), provider, absent], NONE)
  expect(codex).toEqual({ ...found(), retention: { kind: 'unlimited' } })
  expect(others).toEqual([provider, absent])
  const failed = async () => failure('io', 'The disk is gone.')
  expect(await withSavedSessions(env, [found()], failed)).toEqual([codex])
})

it('reads what the last Panoptes left while none is running', async () => {
  const { context } = homeWith({ one: [asked('go')], two: [asked('go')] })
  const { history } = context.paths
  const saved = async (isArchiving = true) => {
    const read = await readSavedOnDisk(history, isArchiving, ['claude-code', 'codex'])
    return read.ok ? Object.fromEntries(read.value) : read.message
  }
  const nothing = { state: 'saved', sessions: 0, deleted: 0, prompts_only: 0 }
  expect(await saved()).toEqual({ 'claude-code': nothing, codex: nothing })
  await list(context, { limit: 5 })
  rmSync(join(String(context.env.HOME), '.claude', 'projects', '-x', 'two.jsonl'))
  await list(context, { limit: 5 })
  expect(await saved()).toEqual({ 'claude-code': { ...nothing, sessions: 2, deleted: 1 }, codex: nothing })
  expect(await saved(false)).toMatchObject({ 'claude-code': { state: 'off', sessions: 2 } })
})
