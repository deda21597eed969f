import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Conflicts, createConflicts } from './conflicts.ts'
import { createEdits } from './edits.ts'
import { openScene, type Scene } from './live.test-kit.ts'

const MINUTE = 60_000
const agent = (agent_id: string, session_id = 's1') => ({ source: 'claude-code', session_id, agent_id })

describe('edits', () => {
  it('of one file by two agents within ten minutes are a conflict, for as long', () => {
    const edits = createEdits(10 * MINUTE)
    edits.edited('/a', agent('main'), 0)
    edits.edited('/b', agent('other'), 0)
    expect(edits.conflicts(0)).toEqual([])
    edits.edited('/a', agent('other'), 9 * MINUTE)
    expect(edits.conflicts(9 * MINUTE)).toEqual([
      { file: '/a', agents: [agent('main'), agent('other')], since: 0 },
    ])
    expect(edits.conflicts(11 * MINUTE)).toEqual([])
  })

  it('by one agent, or far apart, are none', () => {
    const edits = createEdits(10 * MINUTE)
    edits.edited('/a', agent('main'), 0)
    edits.edited('/a', agent('main'), MINUTE)
    edits.edited('/a', agent('other'), 12 * MINUTE)
    expect(edits.conflicts(12 * MINUTE)).toEqual([])
  })

  it('of what an agent left to one that it made, or that one made, are none', () => {
    const edits = createEdits(10 * MINUTE)
    edits.edited('/a', agent('main'), 0)
    edits.began(agent('a'), 1)
    edits.edited('/a', agent('a'), 2)
    edits.began(agent('b'), 3)
    edits.edited('/a', agent('b'), 4)
    expect(edits.conflicts(4)).toEqual([{ file: '/a', agents: [agent('a'), agent('b')], since: 2 }])
    edits.madeBy(agent('b'), 'a')
    expect(edits.conflicts(4)).toEqual([])
  })

  it('of an agent that goes on while one that it made is at work are a conflict', () => {
    const edits = createEdits(10 * MINUTE)
    edits.edited('/a', agent('main'), 0)
    edits.began(agent('a'), 1)
    edits.edited('/a', agent('a'), 2)
    edits.edited('/a', agent('main'), 3)
    expect(edits.conflicts(3)).toEqual([{ file: '/a', agents: [agent('a'), agent('main')], since: 2 }])
  })

  it('after the other agent or its session ended are none', () => {
    const edits = createEdits(10 * MINUTE)
    edits.edited('/a', agent('helper'), 0)
    edits.ended(agent('helper'))
    edits.edited('/a', agent('main'), 1)
    edits.sessionEnded('claude-code', 's1')
    edits.edited('/a', agent('main', 's2'), 2)
    expect(edits.conflicts(2)).toEqual([])
  })

  it('go on after a session of the same id in another source ended', () => {
    const edits = createEdits(10 * MINUTE)
    edits.edited('/a', agent('main'), 0)
    edits.sessionEnded('hermes', 's1')
    edits.edited('/a', agent('main', 's2'), 1)
    expect(edits.conflicts(1)).toHaveLength(1)
  })

  it('take a bounded amount of memory', () => {
    const edits = createEdits(10 * MINUTE)
    for (let index = 0; index < 20_000; index += 1) {
      edits.edited(`/f${index}`, agent('a'), 0)
      edits.edited(`/f${index}`, agent('b'), 0)
      edits.edited('/one', agent(`a${index}`), 0)
    }
    const listed = edits.conflicts(0)
    expect(listed).toHaveLength(200)
    expect(listed.find(({ file }) => file === '/one')?.agents).toHaveLength(16)
  })
})

describe('conflicts in the ledger', () => {
  let scene: Scene
  let conflicts: Conflicts | undefined
  beforeEach(async () => {
    scene = await openScene()
  })
  afterEach(async () => {
    await conflicts?.stop()
    await scene.end()
  })

  it('are seen as they happen, also where they began before the start', async () => {
    await scene.tell(1, 'tool_use', { id: 't1', agent_id: 'a', tool: 'Edit', file: '/x' })
    conflicts = createConflicts(scene.ledger, () => MINUTE)
    await scene.tell(2, 'tool_use', { id: 't2', agent_id: 'b', tool: 'Write', file: '/x' })
    await scene.tell(3, 'tool_use', { id: 't3', agent_id: 'b', tool: 'Write', file: '/y' })
    await scene.tell(4, 'agent_done', { id: 'b' })
    await scene.tell(5, 'tool_use', { id: 't4', agent_id: 'a', tool: 'Write', file: '/y' })
    await scene.tell(6, 'tool_use', { id: 't5', agent_id: 'a', tool: 'Write', file: '/z' })
    await scene.tell(7, 'tool_use', { id: 't6', agent_id: 'c', tool: 'Write', file: '/z' })
    await expect.poll(() => conflicts?.list().map(({ file }) => file)).toEqual(['/z', '/x'])
  })

  it('are none where an agent edits what its maker had edited', async () => {
    conflicts = createConflicts(scene.ledger, () => MINUTE)
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

  it('are seen however the agents write the name of the file', async () => {
    const edit = (session_id: string, id: string, file: string) =>
      scene.tell(1, 'tool_use', { session_id, id, agent_id: 'main', tool: 'Edit', file })
    await scene.tell(1, 'session_start', { session_id: 'early', cwd: '/f/sub' })
    conflicts = createConflicts(scene.ledger, () => MINUTE)
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

  it('are none with a session that a hook started', async () => {
    await scene.tell(1, 'session_start', { session_id: 'within', from_hook: true })
    conflicts = createConflicts(scene.ledger, () => MINUTE)
    await scene.tell(2, 'tool_use', { id: 't1', agent_id: 'a', tool: 'Edit', file: '/x' })
    await scene.tell(3, 'tool_use', { session_id: 'within', id: 't2', agent_id: 'main', file: '/x' })
    await scene.tell(4, 'tool_use', { id: 't3', agent_id: 'a', tool: 'Edit', file: '/y' })
    await scene.tell(5, 'tool_use', { id: 't4', agent_id: 'b', tool: 'Edit', file: '/y' })
    await expect.poll(() => conflicts?.list().map(({ file }) => file)).toEqual(['/y'])
  })
})
