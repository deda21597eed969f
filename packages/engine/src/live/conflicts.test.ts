import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Conflicts, createConflicts, createEdits } from './conflicts.ts'
import { openScene, type Scene } from './live.test-kit.ts'

const MINUTE = 60_000
const agent = (agent_id: string, session_id = 's1') => ({ source: 'claude-code', session_id, agent_id })

describe('edit overlap', () => {
  it('reports two agents that edit one file within ten minutes, for ten minutes', () => {
    const edits = createEdits(10 * MINUTE)
    edits.recordEdit('/a', agent('main'), 0)
    edits.recordEdit('/b', agent('other'), 0)
    expect(edits.listConflicts(0)).toEqual([])
    edits.recordEdit('/a', agent('other'), 9 * MINUTE)
    expect(edits.listConflicts(9 * MINUTE)).toEqual([
      { file: '/a', agents: [agent('main'), agent('other')], since: 0 },
    ])
    expect(edits.listConflicts(11 * MINUTE)).toEqual([])
  })

  it('reports nothing for one agent or for edits far apart', () => {
    const edits = createEdits(10 * MINUTE)
    edits.recordEdit('/a', agent('main'), 0)
    edits.recordEdit('/a', agent('main'), MINUTE)
    edits.recordEdit('/a', agent('other'), 12 * MINUTE)
    expect(edits.listConflicts(12 * MINUTE)).toEqual([])
  })

  it('reports nothing for edits handed over between a parent and its child', () => {
    const edits = createEdits(10 * MINUTE)
    edits.recordEdit('/a', agent('main'), 0)
    edits.recordStart(agent('a'), 1)
    edits.recordEdit('/a', agent('a'), 2)
    edits.recordStart(agent('b'), 3)
    edits.recordEdit('/a', agent('b'), 4)
    expect(edits.listConflicts(4)).toEqual([{ file: '/a', agents: [agent('a'), agent('b')], since: 2 }])
    edits.recordParent(agent('b'), 'a')
    expect(edits.listConflicts(4)).toEqual([])
  })

  it('reports a parent that keeps editing while its child is at work', () => {
    const edits = createEdits(10 * MINUTE)
    edits.recordEdit('/a', agent('main'), 0)
    edits.recordStart(agent('a'), 1)
    edits.recordEdit('/a', agent('a'), 2)
    edits.recordEdit('/a', agent('main'), 3)
    expect(edits.listConflicts(3)).toEqual([{ file: '/a', agents: [agent('a'), agent('main')], since: 2 }])
  })

  it('ignores edits made after the other agent or its session ended', () => {
    const edits = createEdits(10 * MINUTE)
    edits.recordEdit('/a', agent('helper'), 0)
    edits.endEdits(agent('helper'))
    edits.recordEdit('/a', agent('main'), 1)
    edits.endSessionEdits('claude-code', 's1')
    edits.recordEdit('/a', agent('main', 's2'), 2)
    expect(edits.listConflicts(2)).toEqual([])
  })

  it('keeps overlaps when a session with the same id in another source ends', () => {
    const edits = createEdits(10 * MINUTE)
    edits.recordEdit('/a', agent('main'), 0)
    edits.endSessionEdits('hermes', 's1')
    edits.recordEdit('/a', agent('main', 's2'), 1)
    expect(edits.listConflicts(1)).toHaveLength(1)
  })

  it('uses a bounded amount of memory', () => {
    const edits = createEdits(10 * MINUTE)
    for (let index = 0; index < 20_000; index += 1) {
      edits.recordEdit(`/f${index}`, agent('a'), 0)
      edits.recordEdit(`/f${index}`, agent('b'), 0)
      edits.recordEdit('/one', agent(`a${index}`), 0)
    }
    const listed = edits.listConflicts(0)
    expect(listed).toHaveLength(200)
    expect(listed.find(({ file }) => file === '/one')?.agents).toHaveLength(16)
  })
})

describe('conflicts in the store', () => {
  let scene: Scene
  let conflicts: Conflicts | undefined
  beforeEach(async () => {
    scene = await openScene()
  })
  afterEach(async () => {
    await conflicts?.stop()
    await scene.end()
  })

  it('finds conflicts as they happen, also ones that began before the start', async () => {
    await scene.tell(1, 'tool_use', { id: 't1', agent_id: 'a', tool: 'Edit', file: '/x' })
    conflicts = createConflicts(scene.store, () => MINUTE)
    await scene.tell(2, 'tool_use', { id: 't2', agent_id: 'b', tool: 'Write', file: '/x' })
    await scene.tell(3, 'tool_use', { id: 't3', agent_id: 'b', tool: 'Write', file: '/y' })
    await scene.tell(4, 'agent_done', { id: 'b' })
    await scene.tell(5, 'tool_use', { id: 't4', agent_id: 'a', tool: 'Write', file: '/y' })
    await scene.tell(6, 'tool_use', { id: 't5', agent_id: 'a', tool: 'Write', file: '/z' })
    await scene.tell(7, 'tool_use', { id: 't6', agent_id: 'c', tool: 'Write', file: '/z' })
    await expect.poll(() => conflicts?.list().map(({ file }) => file)).toEqual(['/z', '/x'])
  })

  it('ignores a child that edits what its parent had edited', async () => {
    conflicts = createConflicts(scene.store, () => MINUTE)
    await scene.tell(1, 'tool_use', { id: 't1', agent_id: 'main', tool: 'Edit', file: '/x' })
    await scene.tell(2, 'agent_spawn', { id: 'a' })
    await scene.tell(3, 'agent_link', { id: 'b', parent_id: 'a', tool_use_id: 'T', status: 'launched' })
    await scene.tell(4, 'tool_use', { id: 't2', agent_id: 'a', tool: 'Edit', file: '/x' })
    await scene.tell(5, 'agent_spawn', { id: 'b' })
    await scene.tell(6, 'tool_use', { id: 't3', agent_id: 'b', tool: 'Edit', file: '/x' })
    await scene.tell(7, 'tool_use', { id: 't4', agent_id: 'b', tool: 'Edit', file: '/y' })
    await scene.tell(8, 'agent_link', { id: 'b', tool_use_id: 'T', status: 'completed' })
    await scene.tell(9, 'tool_use', { id: 't5', agent_id: 'a', tool: 'Edit', file: '/y' })
    await scene.tell(10, 'tool_use', { id: 't6', agent_id: 'a', tool: 'Edit', file: '/z' })
    await scene.tell(11, 'tool_use', { id: 't7', agent_id: 'main', tool: 'Edit', file: '/z' })
    await expect.poll(() => conflicts?.list().map(({ file }) => file)).toEqual(['/z'])
  })

  it('finds conflicts however the agents spell the file name', async () => {
    const edit = (session_id: string, id: string, file: string) =>
      scene.tell(1, 'tool_use', { session_id, id, agent_id: 'main', tool: 'Edit', file })
    await scene.tell(1, 'session_start', { session_id: 'early', cwd: '/f/sub' })
    conflicts = createConflicts(scene.store, () => MINUTE)
    await scene.tell(1, 'session_start', { session_id: 'late', cwd: '/f' })
    await edit('early', 't1', '../a.ts')
    await edit('late', 't2', './a.ts')
    await edit('third', 't3', '/f/./a.ts')
    await edit('third', 't4', 'b.ts')
    await edit('fourth', 't5', 'b.ts')
    await edit('third', 't6', 'C:\\x\\..\\c.ts')
    await edit('fourth', 't7', 'C:\\c.ts')
    await edit('third', 't8', 'd.ts')
    await scene.tell(1, 'tool_use', { session_id: 'third', id: 't9', agent_id: 'a', file: './d.ts' })
    await expect
      .poll(() => conflicts?.list().map(({ file, agents }) => [file, agents.length]))
      .toEqual([
        ['d.ts', 2],
        ['C:\\c.ts', 2],
        ['/f/a.ts', 3],
      ])
  })

  it('ignores sessions that a hook started', async () => {
    await scene.tell(1, 'session_start', { session_id: 'within', from_hook: true })
    conflicts = createConflicts(scene.store, () => MINUTE)
    await scene.tell(2, 'tool_use', { id: 't1', agent_id: 'a', tool: 'Edit', file: '/x' })
    await scene.tell(3, 'tool_use', { session_id: 'within', id: 't2', agent_id: 'main', file: '/x' })
    await scene.tell(4, 'tool_use', { id: 't3', agent_id: 'a', tool: 'Edit', file: '/y' })
    await scene.tell(5, 'tool_use', { id: 't4', agent_id: 'b', tool: 'Edit', file: '/y' })
    await expect.poll(() => conflicts?.list().map(({ file }) => file)).toEqual(['/y'])
  })
})
