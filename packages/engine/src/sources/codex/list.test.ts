import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { all } from '../conformance/records.ts'
import { meta, put, tempHome } from './codex.test-kit.ts'
import { codexSource } from './index.ts'

it('lists the other folders when one is unreadable and names it', async () => {
  const home = tempHome()
  symlinkSync('sessions', join(home, 'sessions'))
  const path = join(home, 'archived_sessions', 'rollout-2026-09-01T10-00-00-kept.jsonl')
  put(path, [meta('kept')])
  expect(await all(codexSource(home).list())).toMatchObject([
    { kind: 'failed', failure: { message: expect.stringContaining(join(home, 'sessions')) } },
    { kind: 'listed', id: 'kept', place: path },
  ])
})
