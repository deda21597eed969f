import { describe, expect, it } from 'vitest'
import { value } from '../../conformance/lab.ts'
import type { Team } from '../port.ts'
import { useTeam } from './team.test-kit.ts'

let team: Team
let other: Team

const { person } = useTeam((...hubs) => {
  ;[team, other] = hubs
})

describe('audit log', () => {
  const entry = (action: string, space: string | null = 'main', actor = 'ada@a') => ({
    actor,
    user_id: null,
    token_id: null,
    space,
    action,
    target: null,
    outcome: 'done' as const,
    address: '127.0.0.1',
  })

  it('returns entries newest first, page by page, filtered by who, what and where', async () => {
    value(await team.note(Array.from({ length: 25 }, (_, at) => entry(at % 2 ? 'tokens.create' : 'sign-in'))))
    value(
      await other.note([
        entry('spaces.create', null),
        entry('tokens', 'blue'),
        entry('tokensx', 'main', 'Bob@a'),
      ]),
    )
    const read = async (query: Partial<Parameters<Team['audit']>[0]>) =>
      value(await team.audit({ limit: 100, ...query }))
    const first = await read({ limit: 10 })
    const second = await read({ limit: 100, before: first.next ?? 0 })
    expect(first.entries.length + second.entries.length).toBe(28)
    expect(second.next).toBeNull()
    const ids = [...first.entries, ...second.entries].map(({ id }) => id)
    expect(ids).toEqual([...ids].sort((a, b) => b - a))
    expect((await read({ space: null })).entries.map(({ action }) => action)).toEqual(['spaces.create'])
    expect((await read({ space: 'main', action: 'tokens' })).entries).toHaveLength(12)
    expect((await read({ actor: 'bob@A' })).entries).toHaveLength(1)
    expect(value(await team.retainAudit(Date.now() - 60_000))).toBe(0)
    expect(value(await team.retainAudit(Date.now() + 60_000))).toBe(28)
  })

  it('keeps actions of people who are gone, and truncates long words', async () => {
    await person('boss@a', 'admin')
    const ada = await person('ada@a')
    value(await team.note([{ ...entry('sign-in'), user_id: ada.id, target: `\0${'x'.repeat(9_999)}` }]))
    value(await team.removeUser(ada.id))
    const [oldEntry] = value(await team.audit({ limit: 1 })).entries
    expect(oldEntry).toMatchObject({ actor: 'ada@a', user_id: ada.id })
    expect(oldEntry?.target).toHaveLength(500)
  })
})
