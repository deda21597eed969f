import type { MeReply } from '@panoptes/schema'
import { expect, it } from 'vitest'
import { findItems, isOffered, type PaletteItem, parseQuery, shorten } from './palette-items.ts'

const item = (id: string, group: PaletteItem['group'], title: string, hint = ''): PaletteItem => ({
  id,
  group,
  icon: 'events',
  title,
  hint,
  run: () => undefined,
})
const items = [
  item('events', 'goTo', 'Events', 'every event'),
  item('storage', 'goTo', 'Settings › Storage', 'ledger size'),
  item('agent-a', 'agents', 'fixer', 'led by main'),
  item('session-b', 'sessions', 'Batch the ledger append', 'atlas-api'),
  item('session-12', 'sessions', 'Fix 12 tests', 'docs-site'),
  item('backup', 'do', 'Back up the ledger'),
  item('check', 'do', 'Check projections'),
]
const ids = (typed: string) => findItems(items, parseQuery(typed)).map((found) => found.item.id)

it('lists everything while nothing is typed', () => {
  expect(ids('')).toEqual(['events', 'storage', 'agent-a', 'session-b', 'session-12', 'backup', 'check'])
})

it('keeps groups together and sorts each by rank', () => {
  expect(ids('led')).toEqual(['storage', 'agent-a', 'session-b', 'backup'])
})

it('narrows to agents with @', () => {
  expect(ids('@')).toEqual(['agent-a'])
  expect(ids('@ fix')).toEqual(['agent-a'])
  expect(ids('@ledger')).toEqual([])
})

it('narrows to actions with >', () => {
  expect(ids('>')).toEqual(['backup', 'check'])
  expect(ids('> led')).toEqual(['backup'])
})

it('reads an event number after #, with or without separators', () => {
  expect(parseQuery('#68,403').seq).toBe(68_403)
  expect(parseQuery('# 12').seq).toBe(12)
  expect(parseQuery('#').seq).toBeNull()
  expect(parseQuery('#0')).toMatchObject({ seq: null })
})

it('narrows to sessions with #, by title and project', () => {
  expect(ids('#')).toEqual(['session-b', 'session-12'])
  expect(ids('#docs')).toEqual(['session-12'])
  expect(ids('#12')).toEqual(['session-12'])
})

it('limits agents and sessions while the list is not narrowed to them', () => {
  const many = (['agents', 'sessions'] as const).flatMap((group) =>
    Array.from({ length: 9 }, (_, n) => item(`${group}${n}`, group, `ledger ${n}`)),
  )
  const shown = (typed: string) => {
    const read = parseQuery(typed)
    return shorten(findItems([...items, ...many], read), read).length
  }
  expect([shown('ledger'), shown('#ledger'), shown('@ledger')]).toEqual([12, 10, 9])
})

it('offers only actions that the role allows', () => {
  const as = (role: MeReply['role'], user: MeReply['user'] = null, space = 'main'): MeReply => ({
    team: true,
    user,
    label: 'somebody',
    role,
    home: false,
    space,
    spaces: [],
  })
  const person = { id: 'u', email: 'a@example.test', name: '' }
  const all = ['backup', 'check', 'preset', 'health', 'template', 'conversation', 'theme']
  const offered = (me: MeReply | null) => all.filter((id) => isOffered(id, me))
  expect(offered(null)).toEqual(all)
  expect(offered({ ...as('admin'), home: true })).toEqual(all)
  expect(offered(as('admin'))).toEqual(all.slice(1))
  expect(offered(as('admin', person))).toEqual(all.slice(1))
  expect(offered(as('admin', person, 'blue'))).not.toContain('preset')
  expect(offered(as('member', person))).toEqual(['health', 'template', 'conversation', 'theme'])
  expect(offered(as('viewer', person))).toEqual(['theme'])
})
