import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { find } from '../conformance/records.ts'
import { agentPathOf, pathOf, promptRow, put, tempProjects } from './claude-code.test-kit.ts'
import { claudeCodeSource } from './index.ts'

it('lists the files of a session and none of another one', async () => {
  const root = tempProjects()
  const projects = join(root, 'projects')
  const file = (path: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), '')
  }
  put(pathOf(projects, 's1'), [
    promptRow('go'),
    promptRow('plan it', 1, { slug: 'calm-fox' }),
    promptRow('on', 2),
  ])
  put(pathOf(projects, 's10'), [promptRow('go', 0, { slug: 'wild-owl' })])
  put(agentPathOf(projects, 's1', 'a1'), [promptRow('part')], { agentType: 'Explore' })
  put(join(projects, '-home-dev-atlas', 'agent-old.jsonl'), [promptRow('older', 0, { sessionId: 's1' })])
  const own = [
    'projects/-home-dev-atlas/s1/tool-results/t1.txt',
    'projects/-home-dev-atlas/s1/remote-agents/r.json',
    'file-history/s1/0f@v1',
    'tasks/s1/1.json',
    'todos/s1-agent-s1.json',
    'plans/calm-fox.md',
    'plans/calm-fox-agent-a1.md',
  ]
  const others = ['file-history/s10/0f@v1', 'tasks/s10/1.json', 'todos/s10.json', 'plans/wild-owl.md']
  for (const path of [...own, ...others, 'plans/calm-fox-2.md', 'settings.json']) file(path)
  const source = claudeCodeSource(projects)
  const listed = await find(source, 's1')
  const found = (await source.files?.list(listed)) ?? []
  expect(found[0]).toBe('projects/-home-dev-atlas/s1.jsonl')
  expect([...found].sort()).toEqual(
    [
      ...own,
      'projects/-home-dev-atlas/s1.jsonl',
      'projects/-home-dev-atlas/s1/subagents/agent-a1.jsonl',
      'projects/-home-dev-atlas/s1/subagents/agent-a1.meta.json',
      'projects/-home-dev-atlas/agent-old.jsonl',
      'projects/-home-dev-atlas/agent-old.meta.json',
    ].sort(),
  )
  expect(source.files?.root).toBe(root)
})
