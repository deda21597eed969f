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

  it('after the other agent or its session ended are none', () => {
    const edits = createEdits(10 * MINUTE)
    edits.edited('/a', agent('helper'), 0)
    edits.ended(agent('helper'))
    edits.edited('/a', agent('main'), 1)
    edits.sessionEnded('claude-code', 's1')
    edits.edited('/a', agent('main', 's2'), 2)
    expect(edits.conflicts(2)).toEqual([])
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
