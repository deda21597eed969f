import { expect, it } from 'vitest'
import {
  counted,
  type Entry,
  messageItem,
  meta,
  pathOf,
  put,
  readOne,
  spent,
  spoken,
  tempHome,
} from './codex.test-kit.ts'

const moved = (entries: readonly Entry[], at: number): readonly Entry[] =>
  entries.map((entry) => ({ ...entry, at }))

const PARENT: readonly Entry[] = [
  meta('parent'),
  messageItem('user', 'one', 1),
  messageItem('assistant', 'yes', 2),
  counted([100, 40, 10], [100, 40, 10], 3),
  messageItem('user', 'two', 4),
  messageItem('assistant', 'no', 5),
  counted([300, 140, 30], [200, 100, 20], 6),
]
const OWN: readonly Entry[] = [
  messageItem('user', 'mine', 101),
  messageItem('assistant', 'well', 102),
  counted([350, 150, 35], [50, 10, 5], 103),
]

const copies: Readonly<Record<string, readonly Entry[]>> = {
  'all at once': [meta('child', { forked_from_id: 'parent' }, 100), ...moved(PARENT, 100)],
  'with the times they had': [meta('child', { forked_from_id: 'parent' }, 100), ...PARENT],
  'over some seconds': [
    meta('child', { forked_from_id: 'parent' }, 90),
    ...PARENT.map((entry, n) => ({ ...entry, at: 90 + n * 1.5 })),
  ],
  'without their head': [meta('child', { forked_from_id: 'parent' }, 100), ...moved(PARENT.slice(1), 100)],
  'up to an earlier turn': [
    meta('child', { forked_from_id: 'parent' }, 100),
    ...moved(PARENT.slice(0, 4), 100),
  ],
  'with lines left out': [
    meta('child', { forked_from_id: 'parent' }, 100),
    ...moved(
      PARENT.filter((_, n) => n !== 3 && n !== 5),
      100,
    ),
  ],
  'by a version that did not say of whom': [meta('child', {}, 100), ...moved(PARENT, 100)],
  'by a sub-agent whose parent is another': [
    meta('child', { source: { subagent: { thread_spawn: { parent_thread_id: 'parent' } } } }, 100),
    ...moved(PARENT.slice(1), 100),
  ],
}

it.each(Object.entries(copies))('leaves out lines that were copied %s', async (_how, copied) => {
  const home = tempHome()
  put(pathOf(home, 'parent'), PARENT)
  put(pathOf(home, 'child', '02'), [...copied, ...OWN])
  const isAgent = copied[0]?.payload.source !== undefined
  const records = await readOne(home, isAgent ? 'parent' : 'child')
  const parent = await readOne(home, 'parent')
  const all = isAgent
    ? spent(records)
    : [0, 1, 2].map((at) => (spent(records)[at] ?? 0) + (spent(parent)[at] ?? 0))
  expect(spoken(records).slice(-2)).toEqual(['mine', 'well'])
  if (!isAgent) expect(spoken(records)).toEqual(['mine', 'well'])
  expect(all).toEqual([160 + 40, 140 + 10, 30 + 5])
})

it('leaves out copies when the original thread is gone', async () => {
  const home = tempHome()
  put(pathOf(home, 'child'), [...(copies['all at once'] ?? []), ...OWN])
  put(
    pathOf(home, 'other'),
    [...(copies['with the times they had'] ?? []), ...OWN].map((entry) => entry),
  )
  expect(spoken(await readOne(home, 'child'))).toEqual(['mine', 'well'])
  expect(spent(await readOne(home, 'child'))).toEqual([40, 10, 5])
})

it('follows forks of forks', async () => {
  const home = tempHome()
  const child = [...(copies['all at once'] ?? []), ...OWN]
  const grandchild = [
    meta('grandchild', { forked_from_id: 'child' }, 200),
    ...moved(child, 200),
    messageItem('user', 'mine', 201),
    messageItem('assistant', 'again', 202),
    counted([450, 200, 45], [100, 50, 10], 203),
  ]
  put(pathOf(home, 'parent'), PARENT)
  put(pathOf(home, 'child', '02'), child)
  put(pathOf(home, 'grandchild', '03'), grandchild)
  const records = await readOne(home, 'grandchild')
  expect(spoken(records)).toEqual(['mine', 'again'])
  expect(spent(records)).toEqual([50, 50, 10])
})

it("keeps a fork's prompt that its parent also received later", async () => {
  const home = tempHome()
  const later = [
    messageItem('user', 'mine', 150),
    messageItem('assistant', 'well', 151),
    counted([350, 150, 35], [50, 10, 5], 152),
  ]
  put(pathOf(home, 'parent'), [...PARENT, ...later])
  put(pathOf(home, 'child', '02'), [...(copies['all at once'] ?? []), ...OWN])
  expect(spoken(await readOne(home, 'child'))).toEqual(['mine', 'well'])
})

it('uses turn ids when they contain the time of the turn', async () => {
  const home = tempHome()
  const child = '01a1e032-4b15-7cf3-8051-add2c63e353b'
  const turn = (turn_id: string): Entry => ({
    type: 'turn_context',
    payload: { turn_id, model: 'm' },
    at: 100,
  })
  put(pathOf(home, child), [
    meta(child, { forked_from_id: 'gone' }, 100),
    turn('01a1e032-4819-7271-9f28-3e4cc44a0d0c'),
    ...moved(PARENT.slice(1), 100),
    turn('01a1e032-4b45-74e0-98ab-7af64aeb1aa0'),
    ...moved(OWN, 100),
  ])
  expect(spoken(await readOne(home, child))).toEqual(['mine', 'well'])
})

it('counts a sub-agent separately that starts at zero after copied totals', async () => {
  const home = tempHome()
  put(pathOf(home, 'parent'), PARENT)
  put(pathOf(home, 'child', '02'), [
    meta(
      'child',
      { forked_from_id: 'parent', source: { subagent: { thread_spawn: { parent_thread_id: 'parent' } } } },
      100,
    ),
    ...moved(PARENT, 100),
    messageItem('user', 'mine', 101),
    messageItem('assistant', 'well', 102),
    counted([400, 150, 40], [400, 150, 40], 103),
  ])
  expect(spent(await readOne(home, 'parent'))).toEqual([160 + 250, 140 + 150, 30 + 40])
})

it('reads all of a sub-agent that inherited nothing', async () => {
  const home = tempHome()
  put(pathOf(home, 'parent'), PARENT)
  put(pathOf(home, 'child', '02'), [
    meta(
      'child',
      { source: { subagent: { thread_spawn: { parent_thread_id: 'parent', agent_role: 'explorer' } } } },
      5,
    ),
    messageItem('developer', '<permissions instructions>', 5),
    ...OWN,
  ])
  const records = await readOne(home, 'parent')
  expect(spoken(records)).toEqual(['one', 'yes', 'two', 'no', 'mine', 'well'])
})
