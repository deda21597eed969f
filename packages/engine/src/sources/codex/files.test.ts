import { join } from 'node:path'
import { expect, it } from 'vitest'
import { find } from '../conformance/records.ts'
import { meta, put, tempHome } from './codex.test-kit.ts'
import { codexSource } from './index.ts'

it('lists the rollouts of a thread and its sub-agents, and none of another one', async () => {
  const home = tempHome()
  const rollout = (id: string) => `sessions/2026/09/01/rollout-2026-09-01T10-00-00-${id}.jsonl`
  const parent = { source: { subagent: { thread_spawn: { parent_thread_id: 'one' } } } }
  put(join(home, rollout('one')), [meta('one')])
  put(join(home, rollout('part')), [meta('part', parent)])
  put(join(home, rollout('two')), [meta('two')])
  const source = codexSource(home)
  const listed = await find(source, 'one')
  expect(await source.files?.list(listed)).toEqual([rollout('one'), rollout('part')])
  expect(source.files?.root).toBe(home)
})
